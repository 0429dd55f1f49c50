//! Logs: to standard error, at the level that `RUST_LOG` asks for; JSON lines if `DAYBOOK_LOG=json`.

use tracing_subscriber::EnvFilter;

/// Starts logging; a second call changes nothing.
pub fn start() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn,daybook=info"));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // To complain of a line that cannot be written is to panic where the disk of standard error is full.
    let builder = builder.log_internal_errors(false);
    let is_json = std::env::var("DAYBOOK_LOG").is_ok_and(|format| format == "json");
    // An error means that somebody else, say a test, logs already.
    let _ = if is_json { builder.json().try_init() } else { builder.with_ansi(false).try_init() };
}
