//! Logs and traces. Logs go to standard error, at the level that `RUST_LOG` asks for, as JSON lines if `DAYBOOK_LOG=json`;
//! traces to a collector, if the command line names one.

mod traces;

pub use traces::Traces;
pub(crate) use traces::continues;
use tracing::Level;
use tracing_subscriber::filter::{FilterExt, LevelFilter, Targets, dynamic_filter_fn, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use crate::stop;

/// Spans of this target go to a collector, whatever is logged: no log line, and nothing of other crates.
const TRACED: &str = "daybook::trace";

/// Anybody makes a line of this target and level by a malformed request. The server counts those and says so itself.
const SAID_OTHERWISE: (&str, Level) = ("actix_http::h1::dispatcher", Level::ERROR);

/// Starts logging, and tracing if there is somebody who takes traces; a second call changes nothing.
pub fn start(traces: Option<&Traces>) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn,daybook=info"));
    let filter = filter.and(dynamic_filter_fn(|_, _| !stop::is_broken_off()));
    let filter = filter.and(filter_fn(|line| (line.target(), *line.level()) != SAID_OTHERWISE));
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    // To complain of a line that cannot be written is to panic where the disk of standard error is full.
    let lines = lines.log_internal_errors(false);
    let is_json = std::env::var("DAYBOOK_LOG").is_ok_and(|format| format == "json");
    let lines = if is_json { lines.json().boxed() } else { lines.with_ansi(false).boxed() };
    let traced = Targets::new().with_target(TRACED, LevelFilter::DEBUG);
    let traces = traces.map(|traces| traces.layer().with_filter(traced));
    // An error means that somebody else, say a test, logs already.
    let _ = tracing_subscriber::registry().with(traces).with(lines.with_filter(filter)).try_init();
}
