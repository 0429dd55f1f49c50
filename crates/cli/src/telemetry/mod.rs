//! Logs and traces. Logs go to standard error, at the level of `RUST_LOG`, and as JSON lines if `DAYBOOK_LOG=json`.
//! Traces go to a collector, if the command line names one.

mod traces;

pub use traces::Traces;
pub(crate) use traces::continues;
use tracing::Level;
use tracing_subscriber::filter::{FilterExt, LevelFilter, Targets, dynamic_filter_fn, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use crate::stop;

/// Target of spans that are sent to a collector, independent of the log level. Log lines and spans of other crates are
/// not sent.
const TRACED: &str = "daybook::trace";

/// Target and level of lines that any client can cause by a malformed request. They are suppressed: the server counts
/// and reports such requests itself.
const DEMOTED_TARGET: (&str, Level) = ("actix_http::h1::dispatcher", Level::ERROR);

/// Starts logging, and tracing if there is a collector. A second call changes nothing.
pub fn start(traces: Option<&Traces>) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn,daybook=info"));
    let filter = filter.and(dynamic_filter_fn(|_, _| !stop::is_broken_off()));
    let filter = filter.and(filter_fn(|line| (line.target(), *line.level()) != DEMOTED_TARGET));
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    // By default, tracing reports unwritable lines with `eprintln!`, which panics if the disk of standard error is
    // full.
    let lines = lines.log_internal_errors(false);
    let is_json = std::env::var("DAYBOOK_LOG").is_ok_and(|format| format == "json");
    let lines = if is_json { lines.json().boxed() } else { lines.with_ansi(false).boxed() };
    let traced = Targets::new().with_target(TRACED, LevelFilter::DEBUG);
    let traces = traces.map(|traces| traces.layer().with_filter(traced));
    // An error means that logging was started before, for example by a test.
    let _ = tracing_subscriber::registry().with(traces).with(lines.with_filter(filter)).try_init();
}
