//! Coverage: the newest checkpoint beside the end of the log. Events behind it are signed, and no anchor holds the log to them
//! yet.

use std::time::Duration;

use daybook_checker::Finding;
use daybook_engine::SHARD;
use daybook_log::postgres::PostgresLog;
use daybook_log::{Error, Log};
use serde_json::{Value, json};

use super::moment;

/// How far the newest checkpoint reaches.
pub(super) struct Coverage {
    /// Events that it covers; none if there is no checkpoint.
    size: Option<u64>,
    /// Events of the log.
    events: u64,
    /// The times of the first and of the last commit behind it, in microseconds since the Unix epoch.
    behind: Option<(i64, i64)>,
}

impl Coverage {
    /// Looks at the newest checkpoint of `log`.
    ///
    /// # Errors
    ///
    /// [`Error`] if the database cannot be read.
    pub(super) async fn of(log: &PostgresLog) -> Result<Self, Error> {
        // In this order: nothing is ahead of what is read after it.
        let size = log.last_checkpoint(SHARD).await?.map(|made| made.size);
        let head = log.head(SHARD).await?;
        let first = size.unwrap_or_default().saturating_add(1);
        let commit = log.raw_commit_of(SHARD, first).await?;
        let behind = commit.map(|commit| (commit.recorded_at_us, head.recorded_at_ms.saturating_mul(1_000)));
        Ok(Self { size, events: head.position, behind })
    }

    /// The finding that the log went on for longer than `late` without a checkpoint. A log that never had one, say because it was
    /// imported and not served yet, is no finding.
    pub(super) fn finding(&self, late: Duration) -> Option<Finding> {
        let (size, (first, last)) = (self.size?, self.behind?);
        let late_us = i64::try_from(late.as_micros()).unwrap_or(i64::MAX);
        (last.saturating_sub(first) > late_us).then(|| Finding {
            position: Some(size.saturating_add(1)),
            place: "checkpoints".to_owned(),
            what: format!("the log went on until {}, and no checkpoint covers it", moment(last)),
        })
    }

    /// A sentence about it.
    pub(super) fn as_text(&self) -> String {
        let covered = match self.size {
            Some(size) => format!("The newest checkpoint covers {size} of {} events", self.events),
            None => format!("No checkpoint covers any of {} events", self.events),
        };
        match self.behind {
            Some((first, _)) => format!("{covered}; the next one waits since {}.", moment(first)),
            None => format!("{covered}."),
        }
    }

    /// The same as an object: `size`, `events`, and `waits_since` if an event waits.
    pub(super) fn as_json(&self) -> Value {
        let since = self.behind.map(|(first, _)| moment(first).to_string());
        json!({"size": self.size, "events": self.events, "waits_since": since})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATE: Duration = Duration::from_mins(1);

    #[test]
    fn a_log_that_went_on_is_a_finding() {
        let of = |size, behind| Coverage { size, events: 9, behind }.finding(LATE).map(|it| it.what);
        let later = Some((1_000_000, 61_000_001));
        let what = "the log went on until 1970-01-01T00:01:01.000Z, and no checkpoint covers it".to_owned();
        assert_eq!(of(Some(7), later), Some(what));
        assert_eq!(of(Some(7), Some((1_000_000, 61_000_000))), None);
        assert_eq!(of(Some(9), None), None);
        assert_eq!(of(None, later), None, "it was never served");
    }
}
