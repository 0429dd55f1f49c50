//! What is printed of a load.

use serde::Serialize;

use crate::load::Measured;

/// One line of the comparison. `daybook-bench --peers` reads these names.
#[derive(Debug, Serialize)]
pub(crate) struct Figure {
    pub(crate) peer: &'static str,
    /// As built in.
    pub(crate) version: &'static str,
    pub(crate) load: String,
    /// Transfers, or events.
    pub(crate) per_second: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    /// What is done for each of them.
    pub(crate) does: &'static str,
    /// What Daybook does besides.
    pub(crate) does_not: &'static str,
}

/// Who is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About {
    pub(crate) peer: &'static str,
    pub(crate) version: &'static str,
    pub(crate) does: &'static str,
    pub(crate) does_not: &'static str,
}

impl About {
    /// Says that a load begins.
    pub(crate) fn begin(&self, load: &str) {
        eprintln!("{} {}: {load} …", self.peer, self.version);
    }

    /// The figure of a load, and says it.
    pub(crate) fn figure(&self, load: &str, measured: &Measured) -> Figure {
        let figure = Figure {
            peer: self.peer,
            version: self.version,
            load: load.to_owned(),
            per_second: rounded(measured.per_second, 10.0),
            p50_ms: rounded(measured.quantile_ms(50), 1_000.0),
            p99_ms: rounded(measured.quantile_ms(99), 1_000.0),
            does: self.does,
            does_not: self.does_not,
        };
        eprintln!("  {} per second, p50 {} ms, p99 {} ms", figure.per_second, figure.p50_ms, figure.p99_ms);
        figure
    }
}

/// To parts of one `parts`-th.
fn rounded(number: f64, parts: f64) -> f64 {
    (number * parts).round() / parts
}
