//! Output of a load.

use serde::Serialize;

use crate::load::Measured;

/// One line of the comparison. `daybook-bench --peers` reads these field names.
#[derive(Debug, Serialize)]
pub(crate) struct Figure {
    pub(crate) peer: &'static str,
    /// Version of the package that is built in.
    pub(crate) version: &'static str,
    pub(crate) load: String,
    /// Transfers or events per second.
    pub(crate) per_second: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    /// Work that is done for each of them.
    pub(crate) does: &'static str,
    /// Work that only Daybook does.
    pub(crate) does_not: &'static str,
}

/// Description of a peer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About {
    pub(crate) peer: &'static str,
    pub(crate) version: &'static str,
    pub(crate) does: &'static str,
    pub(crate) does_not: &'static str,
}

impl About {
    /// Prints the beginning of a load.
    pub(crate) fn begin(&self, load: &str) {
        eprintln!("{} {}: {load} …", self.peer, self.version);
    }

    /// Returns the figure of a load, and prints it.
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

/// Rounds to a multiple of one `parts`-th.
fn rounded(number: f64, parts: f64) -> f64 {
    (number * parts).round() / parts
}
