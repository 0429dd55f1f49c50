//! The report: one table of what was reached, one of what it took, and where that was.

use std::fmt;
use std::time::Duration;

use super::machine::Machine;
use super::target::{Measured, SETTLE_AFTER};
use super::{Run, baseline};
use crate::config::Creation;

/// Everything that was measured; shown as Markdown.
pub(super) struct Report<'a> {
    pub(super) options: &'a Creation,
    pub(super) machine: Machine,
    /// At least one.
    pub(super) runs: Vec<Run>,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { options, machine, runs } = self;
        writeln!(out, "# Transactions created per second, {}\n", machine.date)?;
        if cfg!(debug_assertions) {
            writeln!(out, "**This was a debug build: the figures mean nothing.**\n")?;
        }
        self.reached(out)?;
        self.took(out)?;
        let (nodes, seconds, settle_min) =
            (options.nodes, options.duration.as_secs(), SETTLE_AFTER.as_secs() / 60);
        writeln!(
            out,
            "Medians of {} runs of {seconds} s, each with the baseline first and Daybook right after it; ratios are \
             taken within a run. Latencies are of all requests, none left out. Payments of 1.00 between {nodes} random \
             nodes, each request with an OAuth key and an idempotency key; personal data is sealed, read models are \
             kept. Settlement is {settle_min} minutes away, so creation alone is measured. Server, load generator and \
             PostgreSQL share the machine, the first two also the process. After each run the log and the users' lists \
             held exactly the transactions that were acknowledged.\n",
            runs.len(),
        )?;
        let command: Vec<String> = std::env::args().skip(1).collect();
        writeln!(out, "- command: `daybook {}` ({})", command.join(" "), env!("CARGO_PKG_VERSION"))?;
        writeln!(out, "- baseline: `{} -T {seconds}` at scale {}", baseline::COMMAND, baseline::SCALE)?;
        writeln!(out, "- machine: {machine}")?;
        write!(out, "- settings: {}", machine.settings)
    }
}

impl Report<'_> {
    fn reached(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "| What | connections | runs | per second | lowest … highest | ratio to B1 | mean ms | p50 ms | p99 ms | max ms |"
        )?;
        writeln!(out, "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")?;
        let baseline = |figure: fn(&baseline::Baseline) -> f64| {
            Spread::of(self.runs.iter().map(|run| figure(&run.baseline)))
        };
        let (rate, mean_ms) = (baseline(|b1| b1.per_second), baseline(|b1| b1.mean_ms));
        writeln!(
            out,
            "| B1: pgbench, simple update | {} | {} | {:.0} | {:.0} … {:.0} | 1.00 | {:.2} | – | – | – |",
            baseline::CLIENTS,
            self.runs.len(),
            rate.median,
            rate.lowest,
            rate.highest,
            mean_ms.median,
        )?;
        for (load, connections) in self.options.connections.iter().enumerate() {
            let rate = self.spread(load, per_second);
            let ratio = Spread::of(self.runs.iter().filter_map(|run| {
                run.loads.get(load).map(|measured| per_second(measured) / run.baseline.per_second)
            }));
            let at = |permille| {
                self.spread(load, move |measured| ms(percentile(&measured.outcome.latencies, permille)))
                    .median
            };
            writeln!(
                out,
                "| Daybook: transaction created through HTTP | {connections} | {} | {:.0} | {:.0} … {:.0} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
                self.runs.len(),
                rate.median,
                rate.lowest,
                rate.highest,
                ratio.median,
                self.spread(load, mean_ms_of).median,
                at(500),
                at(990),
                at(1000),
            )?;
        }
        writeln!(out)
    }

    fn took(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "| Daybook at connections | transactions | events | read models behind, events | caught up after ms | CPU s server + generator | CPU s generator | CPU s PostgreSQL |"
        )?;
        writeln!(out, "|--:|--:|--:|--:|--:|--:|--:|--:|")?;
        for (load, connections) in self.options.connections.iter().enumerate() {
            let median = |figure: fn(&Measured) -> f64| self.spread(load, figure).median;
            writeln!(
                out,
                "| {connections} | {:.0} | {:.0} | {:.0} | {:.0} | {:.1} | {:.1} | {:.1} |",
                median(|measured| count(measured.outcome.latencies.len() as u64)),
                median(|measured| count(measured.events)),
                median(|measured| count(measured.lag)),
                median(|measured| ms(measured.drained_in)),
                median(|measured| measured.cpu.own_s),
                median(|measured| measured.outcome.cpu_s),
                median(|measured| measured.cpu.postgres_s),
            )?;
        }
        writeln!(out)
    }

    /// One figure of the load number `load` over all runs.
    fn spread(&self, load: usize, figure: impl Fn(&Measured) -> f64) -> Spread {
        Spread::of(self.runs.iter().filter_map(|run| run.loads.get(load)).map(figure))
    }
}

/// A figure over several runs.
#[derive(Debug, PartialEq)]
pub(super) struct Spread {
    pub(super) lowest: f64,
    pub(super) median: f64,
    pub(super) highest: f64,
}

impl Spread {
    /// Of two in the middle the mean; zeros of none.
    pub(super) fn of(figures: impl Iterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = figures.collect();
        sorted.sort_by(f64::total_cmp);
        let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
        let last = sorted.len().saturating_sub(1);
        Self { lowest: at(0), median: f64::midpoint(at(last / 2), at(last.div_ceil(2))), highest: at(last) }
    }
}

fn per_second(measured: &Measured) -> f64 {
    count(measured.outcome.latencies.len() as u64) / measured.outcome.elapsed.as_secs_f64()
}

fn mean_ms_of(measured: &Measured) -> f64 {
    let latencies = &measured.outcome.latencies;
    ms(latencies.iter().sum()) / count(latencies.len() as u64)
}

/// The smallest of `sorted` that `permille` of them do not exceed.
fn percentile(sorted: &[Duration], permille: usize) -> Duration {
    let rank = (sorted.len() * permille).div_ceil(1000);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

#[allow(clippy::cast_precision_loss, reason = "nothing here is counted beyond 2^53")]
pub(super) fn count(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let of = |figures: &[f64]| Spread::of(figures.iter().copied());
        assert_eq!(of(&[3.0, 1.0, 2.0]), Spread { lowest: 1.0, median: 2.0, highest: 3.0 });
        assert_eq!(of(&[4.0, 1.0, 2.0, 3.0]), Spread { lowest: 1.0, median: 2.5, highest: 4.0 });
        assert_eq!(of(&[5.0]), Spread { lowest: 5.0, median: 5.0, highest: 5.0 });
    }

    #[test]
    fn a_percentile_is_one_of_the_samples() {
        let sorted: Vec<Duration> = (1..=200).map(Duration::from_millis).collect();
        let table = [(500, 100), (990, 198), (999, 200), (1000, 200)];
        for (permille, expected_ms) in table {
            assert_eq!(percentile(&sorted, permille), Duration::from_millis(expected_ms), "{permille}");
        }
        assert_eq!(percentile(&[], 500), Duration::ZERO);
    }
}
