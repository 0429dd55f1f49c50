//! Figures: measured values, their goals, and the report.

mod goal;
mod line;
mod report;
mod sample;
mod spread;

pub(crate) use self::line::Line;
pub(crate) use self::report::Report;
pub(crate) use self::sample::{Sample, ms, percentile};
pub(crate) use self::spread::Spread;

/// Figures of one run, in the order of their measurement.
#[derive(Default)]
pub(crate) struct Run(Vec<(Line, Sample)>);

impl Run {
    /// Adds a figure, and prints it to standard error.
    pub(crate) fn put(&mut self, line: Line, sample: Sample) {
        let spec = line.spec();
        eprintln!("  {} {}: {} {}", spec.name, spec.what, spec.unit.show(sample.value), spec.unit.name());
        self.0.push((line, sample));
    }

    /// Returns a figure of this run.
    pub(crate) fn value(&self, line: Line) -> Option<f64> {
        self.sample(line).map(|sample| sample.value)
    }

    fn sample(&self, line: Line) -> Option<&Sample> {
        self.0.iter().find(|(found, _)| *found == line).map(|(_, sample)| sample)
    }

    fn lines(&self) -> impl Iterator<Item = Line> {
        self.0.iter().map(|(line, _)| *line)
    }
}

/// Converts a count to a figure.
#[allow(clippy::cast_precision_loss, reason = "nothing here is counted beyond 2^53")]
pub(crate) fn count(number: u64) -> f64 {
    number as f64
}
