//! Metrics for Prometheus: counters of all crates, and values that are queried from the database at each scrape.
//! `docs/reference/metrics.md` lists them.

mod process;
mod sample;
mod server;

use std::time::Duration;

use daybook_pg::Causes;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use tokio::sync::Mutex;
use tokio::time::timeout;

pub use self::sample::Source;
pub use self::server::{DEFAULT, Server, start};
use crate::anchor::AnchorMetrics;

/// Timeout for the database at a scrape.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(2);

/// Prefix of all metrics that are Daybook's own.
const PREFIX: &str = "daybook";

/// All metrics of this process.
pub struct Metrics {
    counted: Registry,
    source: Source,
    /// Lock of a scrape: concurrent scrapes query the database one after the other.
    turn: Mutex<()>,
}

impl Metrics {
    /// Creates the metrics of `source` and `anchors`.
    #[must_use]
    pub fn new(source: Source, anchors: &AnchorMetrics) -> Self {
        let mut counted = Registry::with_prefix(PREFIX);
        source.pg.metrics().register(&mut counted);
        source.log.replica_metrics().register(&mut counted);
        source.engine.metrics().register(&mut counted);
        source.engine.reads().store().metrics().register(&mut counted);
        source.observability.metrics.register(&mut counted);
        anchors.register(&mut counted);
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        counted.register("build", "Version of this binary", build);
        let started: Gauge = Gauge::default();
        started.set(source.engine.clock().now().ms() / 1000);
        let help = "Time at which this process began to serve, in seconds since the Unix epoch";
        counted.register("start_time_seconds", help, started);
        Self { counted, source, turn: Mutex::default() }
    }

    /// Returns all metrics as text.
    ///
    /// # Errors
    ///
    /// Never: writing to a string cannot fail.
    pub async fn text(&self) -> Result<String, std::fmt::Error> {
        let _turn = self.turn.lock().await;
        let mut sample = sample::Sample::new(PREFIX);
        let asked = timeout(DATABASE_TIMEOUT, self.source.ask(&mut sample)).await;
        sample.gauge("database_up", "1 if the database answered all queries of this scrape", is_ok(asked));
        self.source.look(&mut sample);
        let mut text = String::new();
        encode_registry(&mut text, &self.counted)?;
        encode_registry(&mut text, &sample.registry)?;
        encode_registry(&mut text, &process::sample().registry)?;
        encode_eof(&mut text)?;
        Ok(text)
    }
}

/// Returns 1 if the database answered in time and without an error, otherwise 0.
fn is_ok<T, E: std::error::Error, Late>(asked: Result<Result<T, E>, Late>) -> f64 {
    match asked {
        Ok(Ok(_)) => 1.0,
        Ok(Err(error)) => {
            tracing::debug!(error = %Causes(&error), "the database cannot be queried for metrics");
            0.0
        }
        Err(_) => 0.0,
    }
}
