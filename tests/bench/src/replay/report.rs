//! The report: events per second of each measurement, and ratios to the first one of the same run.

use std::fmt;

use super::Figure;
use super::measurement::Measurement;
use crate::figures::Spread;
use crate::machine::Machine;

/// Everything that was measured; formatted as Markdown.
pub(super) struct Report {
    pub(super) head: u64,
    /// At least one run, with the same measurements in each.
    pub(super) runs: Vec<Vec<(Measurement, Figure)>>,
    pub(super) machine: Machine,
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { head, runs, machine } = self;
        writeln!(out, "# Replay of {head} events, {}\n", machine.date)?;
        if cfg!(debug_assertions) {
            writeln!(out, "**This was a debug build: the figures mean nothing.**\n")?;
        }
        writeln!(out, "| What | events | events/s | lowest … highest | ratio | µs per event |")?;
        writeln!(out, "|---|--:|--:|--:|--:|--:|")?;
        for (place, (what, figure)) in runs.first().into_iter().flatten().enumerate() {
            let rate = Spread::of(self.rates(place));
            let ratio = Spread::of(self.ratios(place));
            writeln!(
                out,
                "| {} | {} | {:.0} | {:.0} … {:.0} | {:.2} | {:.2} |",
                what,
                figure.events,
                rate.median,
                rate.lowest,
                rate.highest,
                ratio.median,
                1e6 / rate.median,
            )?;
        }
        let command: Vec<String> = std::env::args().skip(1).collect();
        writeln!(out, "\nMedians of {} runs; ratios to the first line, taken within a run.\n", runs.len())?;
        writeln!(out, "- command: `daybook {}` ({})", command.join(" "), env!("CARGO_PKG_VERSION"))?;
        writeln!(out, "- machine: {machine}")?;
        write!(out, "- settings: {}", machine.settings)
    }
}

impl Report {
    /// Returns the figure of one measurement in every run, in events per second.
    fn rates(&self, place: usize) -> impl Iterator<Item = f64> {
        self.runs.iter().filter_map(move |run| Some(run.get(place)?.1.per_second()))
    }

    fn ratios(&self, place: usize) -> impl Iterator<Item = f64> {
        self.rates(place).zip(self.rates(0)).map(|(rate, baseline)| rate / baseline)
    }
}
