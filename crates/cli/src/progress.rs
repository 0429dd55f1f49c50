//! Progress of a long command: a bar on a terminal, otherwise a line now and then, or JSON lines for programs.
//!
//! Progress is written to standard error, so that standard output contains the result only.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

/// Minimum time between two lines.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Template of the bar. Rate and remaining time are part of the message, so that they equal those of the lines.
const TEMPLATE: &str = "{prefix} {wide_bar} {msg}";

/// Unit of the progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// Positions of a log.
    Events,
    /// Rows of a table.
    Rows,
}

/// Progress of one command through the events of a log or the rows of a table. Call [`Progress::finish`] at the end.
pub struct Progress {
    what: &'static str,
    unit: Unit,
    total: Option<u64>,
    view: View,
    state: Mutex<State>,
}

enum View {
    Bar(ProgressBar),
    Lines,
    Json,
}

struct State {
    started: Instant,
    /// First position of this run. Work of an earlier, interrupted run does not count for the rate.
    begin: Option<u64>,
    position: u64,
    told: Instant,
}

/// Progress at one point in time.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pace {
    position: u64,
    per_second: f64,
    /// Remaining time at this rate.
    rest: Option<Duration>,
}

impl Progress {
    /// Begins the progress of `what`, which ends at position `total` if that is known. With `is_json`, it prints JSON
    /// lines.
    #[must_use]
    pub fn new(what: &'static str, total: Option<u64>, is_json: bool) -> Self {
        let now = Instant::now();
        let state = State { started: now, begin: None, position: 0, told: now };
        let view = View::choose(what, total, is_json);
        Self { what, unit: Unit::Events, total, view, state: Mutex::new(state) }
    }

    /// Begins the progress of `what` over an unknown number of rows.
    #[must_use]
    pub fn of_rows(what: &'static str, is_json: bool) -> Self {
        let progress = Self { unit: Unit::Rows, ..Self::new(what, None, is_json) };
        progress.set(0);
        progress
    }

    /// Reports that everything up to `position`, or this number of rows, is done. The first call sets the start. Cheap
    /// to call often.
    pub fn set(&self, position: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.position = position;
        state.begin.get_or_insert(position);
        let now = Instant::now();
        if let View::Bar(bar) = &self.view {
            bar.set_position(position);
            bar.set_message(state.pace(now, self.total).told(self.unit));
        } else if now.duration_since(state.told) >= LINE_INTERVAL {
            state.told = now;
            self.tell(state.pace(now, self.total));
        }
    }

    /// Shows the final progress and leaves it on the terminal.
    pub fn finish(self) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let pace = state.pace(Instant::now(), self.total);
        match &self.view {
            View::Bar(bar) => bar.abandon_with_message(pace.told(self.unit)),
            View::Lines | View::Json => self.tell(pace),
        }
    }

    fn tell(&self, pace: Pace) {
        match &self.view {
            View::Json => crate::tell!("{}", pace.json(self.what, self.unit, self.total)),
            View::Bar(_) | View::Lines => {
                let (what, position, pace) = (self.what, pace.position, pace.told(self.unit));
                match self.total {
                    Some(total) => crate::tell!("{what}: {position} of {total}, {pace}"),
                    None => crate::tell!("{what}: {position}, {pace}"),
                }
            }
        }
    }
}

impl View {
    fn choose(what: &'static str, total: Option<u64>, is_json: bool) -> Self {
        match ProgressStyle::with_template(TEMPLATE) {
            _ if is_json => Self::Json,
            Ok(style) if std::io::stderr().is_terminal() => {
                let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
                Self::Bar(bar.with_style(style).with_prefix(what))
            }
            Ok(_) | Err(_) => Self::Lines,
        }
    }
}

impl State {
    fn pace(&self, now: Instant, total: Option<u64>) -> Pace {
        let done = self.position.saturating_sub(self.begin.unwrap_or_default());
        let seconds = now.duration_since(self.started).as_secs_f64();
        let per_second = if seconds > 0.0 { count(done) / seconds } else { 0.0 };
        let left = total.map(|total| count(total.saturating_sub(self.position)));
        // A tiny rate gives a remaining time that exceeds `Duration`.
        let rest = left.and_then(|left| Duration::try_from_secs_f64(left / per_second).ok());
        Pace { position: self.position, per_second, rest }
    }
}

impl Pace {
    fn json(self, what: &str, unit: Unit, total: Option<u64>) -> serde_json::Value {
        let per_second = self.per_second.round();
        match unit {
            Unit::Events => json!({
                "progress": what,
                "position": self.position,
                "total": total,
                "events_per_second": per_second,
                "eta_s": self.rest.map(|rest| rest.as_secs()),
            }),
            Unit::Rows => json!({ "progress": what, "rows": self.position, "rows_per_second": per_second }),
        }
    }

    /// Formats the progress as text.
    fn told(self, unit: Unit) -> String {
        let unit = match unit {
            Unit::Events => "events",
            Unit::Rows => "rows",
        };
        let rate = format!("{:.0} {unit}/s", self.per_second);
        match self.rest {
            Some(rest) if rest >= Duration::from_secs(1) => {
                let seconds = rest.as_secs();
                format!("{rate}, {}:{:02} left", seconds / 60, seconds % 60)
            }
            Some(_) | None => rate,
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "counts are below 2^53")]
fn count(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(begin: u64, position: u64, total: Option<u64>, seconds: u64) -> Pace {
        let started = Instant::now();
        let state = State { started, begin: Some(begin), position, told: started };
        state.pace(started + Duration::from_secs(seconds), total)
    }

    #[test]
    fn rate_ignores_work_of_earlier_runs() {
        let pace = pace(1_000_000, 1_500_000, Some(2_000_000), 5);
        assert_eq!(pace.per_second.round().to_string(), "100000");
        assert_eq!(pace.rest.map(|rest| rest.as_secs()), Some(5));
        assert_eq!(pace.told(Unit::Events), "100000 events/s, 0:05 left");
    }

    #[test]
    fn unknown_remaining_time_is_omitted() {
        assert_eq!(pace(0, 0, Some(10), 0).rest, None);
        assert_eq!(pace(0, 50, None, 10).told(Unit::Events), "5 events/s");
        assert_eq!(pace(0, 50, Some(50), 10).told(Unit::Events), "5 events/s");
        let json = pace(0, 50, None, 10).json("verify", Unit::Events, None);
        assert_eq!(
            json.to_string(),
            r#"{"eta_s":null,"events_per_second":5.0,"position":50,"progress":"verify","total":null}"#
        );
    }

    #[test]
    fn rows_have_their_own_unit() {
        let pace = pace(0, 50, None, 10);
        assert_eq!(pace.told(Unit::Rows), "5 rows/s");
        let json = pace.json("compare", Unit::Rows, None).to_string();
        assert_eq!(json, r#"{"progress":"compare","rows":50,"rows_per_second":5.0}"#);
    }
}
