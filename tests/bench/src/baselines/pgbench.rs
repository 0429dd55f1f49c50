//! Baselines B1 and B2, measured with pgbench: one durable transaction per round trip and client.
//!
//! B1 is pgbench's simple update. B2 inserts one row of about 450 bytes into a table like that of events.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt;

use super::ev::{self, PAYLOAD, TYPE, VERSION};
use crate::error::Error;
use crate::figures::Sample;
use crate::stage::server::Server;
use crate::stage::{Stage, patient, vacuum};

/// Commands, as the report shows them.
pub(crate) const SIMPLE_UPDATE: &str = "pgbench -N -M prepared -c 32 -j 2";
pub(crate) const INSERT: &str = "pgbench -n -M prepared -c 32 -j 2 -f -";

/// Scale factor of pgbench: 2,000,000 accounts.
pub(crate) const SCALE: &str = "20";

/// Database of all baselines that write.
pub(crate) const DATABASE: &str = "baseline";

/// Share of transactions whose latency pgbench logs.
const SAMPLED: &str = "--sampling-rate=0.1";

/// Updates one row in every page of the accounts. The first change of a page after a checkpoint writes the whole page
/// to the write-ahead log. Without this statement B1 would include that cost and be too low for a comparison.
const TOUCH: &str = "update pgbench_accounts set abalance = abalance where aid % 61 = 1";

/// Creates the baseline's database and fills it.
pub(crate) async fn prepare(server: &Server) -> Result<(), Error> {
    eprintln!("filling the baseline's tables");
    server.create(DATABASE, None).await?;
    pgbench(server, &["--initialize", "--quiet", "--scale", SCALE], "").await?;
    Ok(())
}

/// Makes a checkpoint, and writes every page of the accounts once after it.
pub(crate) async fn touch(server: &Server) -> Result<(), Error> {
    server.execute("checkpoint").await?;
    let client = patient(&server.database(DATABASE)?).await?;
    let touch = format!("set enable_seqscan = on; {TOUCH}");
    Ok(client.batch_execute(&touch).await.map_err(daybook_pg::Error::from)?)
}

/// Measures B1.
pub(crate) async fn simple_update(stage: &Stage<'_>, duration: Duration) -> Result<Sample, Error> {
    let sample = measure(stage, SIMPLE_UPDATE, "", duration).await?;
    vacuum(&stage.server.database(DATABASE)?).await?;
    Ok(sample)
}

/// Measures B2.
pub(crate) async fn insert(stage: &Stage<'_>, duration: Duration) -> Result<Sample, Error> {
    stage.server.rest().await?;
    let pg = stage.server.database(DATABASE)?;
    ev::make(&pg).await?;
    let script = format!(
        "insert into ev (stream_id, version, typ, payload) values (gen_random_uuid(), {VERSION}, '{TYPE}', '{PAYLOAD}');"
    );
    let sample = measure(stage, INSERT, &script, duration).await?;
    ev::discard(&pg).await?;
    Ok(sample)
}

async fn measure(
    stage: &Stage<'_>,
    command: &str,
    script: &str,
    duration: Duration,
) -> Result<Sample, Error> {
    let seconds = duration.as_secs().to_string();
    let mut arguments: Vec<&str> = command.split(' ').skip(1).collect();
    let folder = stage.server.shared_folder()?;
    let logs = format!("--log-prefix={}", folder.path().join("latencies").display());
    arguments.extend(["-T", &seconds, "--log", &logs, SAMPLED]);
    let earlier = stage.processes().cpu();
    let said = pgbench(stage.server, &arguments, script).await?;
    let cores = stage.processes().cpu().cores_since(earlier, duration.as_secs_f64());
    let (per_second, mean_ms) =
        parse(&said).ok_or_else(|| Error::Failed(format!("pgbench did not tell its figures: {said}")))?;
    let sample = Sample::of(per_second).latencies(&latencies(folder.path())?);
    Ok(sample.cores(cores).also("mean ms", mean_ms))
}

/// Returns the latencies in pgbench's logs, the shortest first.
fn latencies(folder: &Path) -> Result<Vec<Duration>, Error> {
    let mut latencies = vec![];
    for file in std::fs::read_dir(folder)? {
        let log = std::fs::read_to_string(file?.path())?;
        latencies.extend(log.lines().filter_map(latency));
    }
    latencies.sort_unstable();
    Ok(latencies)
}

/// Parses the third field, in microseconds, of client, number, latency, script and time. Source: pgbench,
/// per-transaction log.
fn latency(line: &str) -> Option<Duration> {
    line.split(' ').nth(2)?.parse().ok().map(Duration::from_micros)
}

async fn pgbench(server: &Server, arguments: &[&str], script: &str) -> Result<String, Error> {
    let mut command = tokio::process::Command::from(server.pgbench(DATABASE));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.kill_on_drop(true).spawn()?;
    if let Some(mut stdin) = process.stdin.take() {
        stdin.write_all(script.as_bytes()).await?;
    }
    let output = process.wait_with_output().await?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(Error::Failed(format!("pgbench failed: {}", String::from_utf8_lossy(&output.stderr).trim())))
}

/// Parses transactions per second, without the time to connect, and their mean latency in milliseconds.
fn parse(said: &str) -> Option<(f64, f64)> {
    let failed = number_after(said, "number of failed transactions: ").unwrap_or_default();
    let figures = (number_after(said, "tps = ")?, number_after(said, "latency average = ")?);
    (failed == 0.0 && figures.0 > 0.0).then_some(figures)
}

fn number_after(said: &str, label: &str) -> Option<f64> {
    said.lines().find_map(|line| line.strip_prefix(label))?.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "scaling factor: 20\nnumber of failed transactions: 0 (0.000%)\nlatency average = 3.433 ms\n\
                        initial connection time = 36.412 ms\ntps = 9320.5 (without initial connection time)\n";

    #[test]
    fn figures_are_parsed_from_pgbench_output() {
        assert_eq!(parse(SAID), Some((9320.5, 3.433)));
    }

    #[test]
    fn third_field_is_latency() {
        assert_eq!(latency("0 199 2241 0 1175850568 995598"), Some(Duration::from_micros(2241)));
        assert_eq!(latency("0 200 failed 0 1175850569 608"), None);
    }

    #[test]
    fn run_with_failures_is_no_baseline() {
        assert_eq!(parse(&SAID.replace("transactions: 0", "transactions: 7")), None);
        assert_eq!(parse("pgbench: error: connection lost"), None);
    }
}
