//! Metrics for Prometheus: counters of all crates, and values that are queried from the database at each scrape.
//! `docs/reference/metrics.md` lists them.

mod process;
mod sample;
mod server;
mod source;

use std::time::Duration;

use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use tokio::sync::Mutex;

pub use self::server::{DEFAULT, Server, start};
pub use self::source::Source;
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
        let is_up = self.source.ask(&mut sample, DATABASE_TIMEOUT).await;
        let help = "1 if the database answered all queries of this scrape";
        sample.gauge("database_up", help, f64::from(u8::from(is_up)));
        self.source.look(&mut sample);
        let mut text = String::new();
        encode_registry(&mut text, &self.counted)?;
        encode_registry(&mut text, &sample.registry)?;
        encode_registry(&mut text, &process::sample().registry)?;
        encode_eof(&mut text)?;
        Ok(text)
    }
}
