//! Peers: performance of other ledgers and event stores on the same server, measured by a separate program.
//!
//! The program is called as `PROGRAM --database-url URL --duration 8s`, once per run, on an empty database, and prints
//! a JSON array with one object for each peer and load.

use std::fmt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::process::Command;

use super::figures::Spread;
use super::load::client::failed;
use super::stage::Stage;
use crate::error::Error;

/// Database of the peers.
const DATABASE: &str = "peers";

/// Results of all runs.
#[derive(Default, Serialize)]
#[serde(transparent)]
pub(crate) struct Peers(Vec<Entry>);

/// A peer under a load, over all runs.
#[derive(Serialize)]
struct Entry {
    #[serde(flatten)]
    said: Said,
    n: usize,
    lowest: f64,
    highest: f64,
    ratio_to_b1: f64,
    #[serde(skip)]
    runs: Vec<(Said, f64)>,
}

/// Result of a peer under a load, as the program prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Said {
    peer: String,
    version: String,
    load: String,
    per_second: f64,
    p50_ms: f64,
    p99_ms: f64,
    /// Features of Daybook that the peer has, and those that it lacks; they matter for a comparison.
    does: String,
    does_not: String,
}

impl Peers {
    /// Runs `program` once; `b1` is the figure of B1 in the same run.
    pub(crate) async fn measure(
        &mut self,
        stage: &Stage<'_>,
        program: &Path,
        duration: Duration,
        b1: f64,
    ) -> Result<(), Error> {
        eprintln!("  peers: {}", program.display());
        stage.server.rest().await?;
        stage.server.create(DATABASE, None).await?;
        let mut command = Command::new(program);
        command.args(["--database-url", &stage.server.url(DATABASE)]);
        command.args(["--duration", &format!("{}s", duration.as_secs())]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
        let output = command.spawn()?.wait_with_output().await?;
        if !output.status.success() {
            return Err(failed(format!("{} failed, {}", program.display(), output.status)));
        }
        stage.server.drop(DATABASE).await?;
        self.add(parse(&output.stdout)?, b1);
        Ok(())
    }

    fn add(&mut self, said: Vec<Said>, b1: f64) {
        for said in said {
            let ratio = said.per_second / b1;
            let known = self.0.iter_mut().find(|entry| entry.is_of(&said));
            match known {
                Some(entry) => entry.add(said, ratio),
                None => self.0.push(Entry::first(said, ratio)),
            }
        }
    }
}

impl Entry {
    fn first(said: Said, ratio: f64) -> Self {
        let rate = said.per_second;
        let runs = vec![(said.clone(), ratio)];
        Self { said, n: 1, lowest: rate, highest: rate, ratio_to_b1: ratio, runs }
    }

    fn is_of(&self, said: &Said) -> bool {
        (&self.said.peer, &self.said.load) == (&said.peer, &said.load)
    }

    fn add(&mut self, said: Said, ratio: f64) {
        self.runs.push((said, ratio));
        let over = |figure: &dyn Fn(&(Said, f64)) -> f64| Spread::of(self.runs.iter().map(figure));
        let rate = over(&|run| run.0.per_second);
        (self.n, self.lowest, self.highest) = (self.runs.len(), rate.lowest, rate.highest);
        let (p50, p99) = (over(&|run| run.0.p50_ms).median, over(&|run| run.0.p99_ms).median);
        (self.ratio_to_b1, self.said.per_second) = (over(&|run| run.1).median, rate.median);
        (self.said.p50_ms, self.said.p99_ms) = (p50, p99);
    }
}

fn parse(said: &[u8]) -> Result<Vec<Said>, Error> {
    serde_json::from_slice(said).map_err(|error| failed(format!("output of the peers' program: {error}")))
}

impl fmt::Display for Peers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "| Peer | load | n | per second | lowest … highest | p50 ms | p99 ms | ratio | does | does not |"
        )?;
        writeln!(out, "|---|---|--:|--:|--:|--:|--:|--:|---|---|")?;
        for Entry { said, n, lowest, highest, ratio_to_b1, .. } in &self.0 {
            let Said { peer, version, load, per_second, p50_ms, p99_ms, does, does_not } = said;
            write!(
                out,
                "| {peer} {version} | {load} | {n} | {per_second:.0} | {lowest:.0} … {highest:.0} | "
            )?;
            writeln!(out, "{p50_ms:.2} | {p99_ms:.2} | {ratio_to_b1:.2} × B1 | {does} | {does_not} |")?;
        }
        writeln!(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = r#"[{"peer":"p","version":"1.2","load":"32 tasks","per_second":100.0,"p50_ms":1.0,"p99_ms":2.0,
        "does":"commits","does_not":"signs"}]"#;

    #[test]
    fn report_shows_medians_and_ratios_within_run() {
        let mut peers = Peers::default();
        for (factor, b1) in [(1.0, 100.0), (2.0, 400.0), (4.0, 200.0)] {
            let mut said = parse(SAID.as_bytes()).expect("JSON");
            said[0].per_second *= factor;
            peers.add(said, b1);
        }
        let entry = &peers.0[0];
        assert_eq!((peers.0.len(), entry.n), (1, 3));
        let line = "| p 1.2 | 32 tasks | 3 | 200 | 100 … 400 | 1.00 | 2.00 | 1.00 × B1 | commits | signs |";
        assert!(peers.to_string().contains(line), "{peers}");
    }

    #[test]
    fn malformed_output_is_refused() {
        assert!(parse(b"no peers").is_err() && parse(br#"[{"peer":"p"}]"#).is_err());
    }
}
