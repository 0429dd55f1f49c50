//! B1, the baseline: pgbench's simple update, which is one durable transaction per round trip and client.

use std::time::Duration;

use super::server::Server;
use crate::commands::Error;

/// What the report calls it.
pub(super) const COMMAND: &str = "pgbench -N -M prepared -c 32 -j 2";

/// Clients of the command, at scale 20: 2,000,000 accounts.
pub(super) const CLIENTS: usize = 32;
pub(super) const SCALE: &str = "20";

const DATABASE: &str = "baseline";

/// What pgbench said about one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Baseline {
    /// Transactions per second, without the time to connect.
    pub(super) per_second: f64,
    /// Mean latency, in milliseconds.
    pub(super) mean_ms: f64,
}

/// Makes and fills its database.
pub(super) async fn prepare(server: &Server) -> Result<(), Error> {
    eprintln!("filling the baseline's tables");
    server.create_database(DATABASE).await?;
    pgbench(server, &["--initialize", "--quiet", "--scale", SCALE]).await?;
    Ok(())
}

/// Takes one measurement.
pub(super) async fn measure(server: &Server, duration: Duration) -> Result<Baseline, Error> {
    let seconds = duration.as_secs().to_string();
    let mut arguments: Vec<&str> = COMMAND.split(' ').skip(1).collect();
    arguments.extend(["-T", &seconds]);
    let said = pgbench(server, &arguments).await?;
    parse(&said).ok_or_else(|| Error::Bench(format!("pgbench did not tell its figures: {said}")))
}

async fn pgbench(server: &Server, arguments: &[&str]) -> Result<String, Error> {
    let mut command = tokio::process::Command::from(server.pgbench(DATABASE));
    let output = command.args(arguments).kill_on_drop(true).output().await?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(Error::Bench(format!("pgbench failed: {}", String::from_utf8_lossy(&output.stderr).trim())))
}

fn parse(said: &str) -> Option<Baseline> {
    let failed = number_after(said, "number of failed transactions: ").unwrap_or_default();
    let figures = Baseline {
        per_second: number_after(said, "tps = ")?,
        mean_ms: number_after(said, "latency average = ")?,
    };
    (failed == 0.0 && figures.per_second > 0.0).then_some(figures)
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
    fn figures_are_read_from_what_pgbench_says() {
        assert_eq!(parse(SAID), Some(Baseline { per_second: 9320.5, mean_ms: 3.433 }));
    }

    #[test]
    fn a_run_with_failures_is_no_baseline() {
        assert_eq!(parse(&SAID.replace("transactions: 0", "transactions: 7")), None);
        assert_eq!(parse("pgbench: error: connection lost"), None);
    }
}
