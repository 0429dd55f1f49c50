//! Points at which the process ends. One is armed at most, at the start of the process.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Every point that there is.
pub const POINTS: [&str; 6] = [
    "engine.before_append",
    "log.before_commit",
    "log.after_commit",
    "engine.after_answer",
    "projector.before_cursor",
    "projector.after_cursor",
];

static ARMED: OnceLock<Armed> = OnceLock::new();

struct Armed {
    name: String,
    /// How often the point is still passed before the process ends.
    left: AtomicU64,
    /// How long after the point it ends; it goes on meanwhile.
    later: Duration,
}

/// Arms a point: `NAME:TIMES` ends the process when it gets there for the so manieth time, `NAME:TIMES:MICROSECONDS` so
/// much later.
///
/// # Errors
///
/// What is wrong with `text`.
pub fn arm(text: &str) -> Result<(), String> {
    let mut parts = text.split(':');
    let name = parts.next().filter(|name| POINTS.contains(name));
    let name = name.ok_or_else(|| format!("{text}: there is no such point, only {POINTS:?}"))?;
    let mut number = |default| parts.next().map_or(Ok(default), str::parse);
    let numbers = number(1).and_then(|times| Ok((times, number(0)?)));
    let (times, micros): (u64, u64) = numbers.map_err(|_| format!("{text}: NAME:TIMES:MICROSECONDS"))?;
    let (left, later) = (AtomicU64::new(times), Duration::from_micros(micros));
    ARMED.set(Armed { name: name.to_owned(), left, later }).map_err(|_| "a point is armed already".to_owned())
}

/// Ends the process here if that was asked for: as `kill -9` would, without any farewell.
pub fn point(name: &str) {
    let Some(armed) = ARMED.get().filter(|armed| armed.name == name) else { return };
    if armed.left.fetch_sub(1, Ordering::SeqCst) != 1 {
        return;
    }
    if armed.later.is_zero() {
        std::process::abort();
    }
    std::thread::spawn(|| {
        std::thread::sleep(armed.later);
        std::process::abort();
    });
}

#[cfg(test)]
mod tests {
    use super::arm;

    #[test]
    fn what_is_no_point_is_refused() {
        for text in ["", "nowhere:1", "log.after_commit:soon", "log.after_commit:1:later"] {
            assert!(arm(text).is_err(), "{text}");
        }
    }
}
