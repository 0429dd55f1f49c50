//! Named failpoints, at which the process aborts. At most one is armed, when the process starts.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Names of all failpoints.
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
    /// Number of hits until the process aborts.
    left: AtomicU64,
    /// Delay between the last hit and the abort. The process continues meanwhile.
    later: Duration,
}

/// Arms one failpoint.
///
/// `NAME:TIMES` aborts the process at the n-th hit of the point. `NAME:TIMES:MICROSECONDS` aborts it that long after
/// the n-th hit. `NAME` alone means the first hit, without a delay.
///
/// # Errors
///
/// A message that says what is wrong with `text`: an unknown name, a number that is not one, or a point that is armed
/// already.
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

/// Aborts the process here if the failpoint `name` is armed and reached its hit count. No destructor runs and no buffer
/// is flushed, as with `kill -9`.
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
    fn invalid_failpoint_is_refused() {
        for text in ["", "nowhere:1", "log.after_commit:soon", "log.after_commit:1:later"] {
            assert!(arm(text).is_err(), "{text}");
        }
    }
}
