//! Coverage of the log by checkpoints: the newest checkpoint compared with the head. The events after the checkpoint
//! are signed, but no anchor has a record of them yet.

use std::time::Duration;

use daybook_checker::Finding;
use daybook_log::postgres::PostgresLog;
use daybook_log::{Error, Log, Shard};
use serde_json::{Value, json};

use super::moment;

/// Extent of the newest checkpoint.
pub(super) struct Coverage {
    /// Number of events that it covers; `None` if there is no checkpoint.
    size: Option<u64>,
    /// Number of events in the log.
    events: u64,
    /// Times of the first and of the last commit after the checkpoint, in microseconds since the Unix epoch.
    behind: Option<(i64, i64)>,
}

impl Coverage {
    /// Reads the newest checkpoint of a shard.
    ///
    /// # Errors
    ///
    /// [`Error`] if the database cannot be read.
    pub(super) async fn of(log: &PostgresLog, shard: Shard) -> Result<Self, Error> {
        // In this order, the log is not behind the checkpoint that was read before it.
        let size = log.last_checkpoint(shard).await?.map(|made| made.size);
        let head = log.head(shard).await?;
        let first = size.unwrap_or_default().saturating_add(1);
        let commit = log.raw_commit_of(shard, first).await?;
        let behind = commit.map(|commit| (commit.recorded_at_us, head.recorded_at_ms.saturating_mul(1_000)));
        Ok(Self { size, events: head.position, behind })
    }

    /// Returns a finding if the log continued for longer than `late` without a checkpoint. A log that never had a
    /// checkpoint, for example an imported log that was not served yet, is no finding.
    pub(super) fn finding(&self, late: Duration) -> Option<Finding> {
        let (size, (first, last)) = (self.size?, self.behind?);
        let late_us = i64::try_from(late.as_micros()).unwrap_or(i64::MAX);
        (last.saturating_sub(first) > late_us).then(|| Finding {
            position: Some(size.saturating_add(1)),
            place: "checkpoints".to_owned(),
            what: format!("the log went on until {}, and no checkpoint covers it", moment(last)),
        })
    }

    /// Describes the coverage in a sentence.
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

    /// The coverage as an object: `size`, `events`, and `waits_since` if events are not covered.
    pub(super) fn as_json(&self) -> Value {
        let since = self.behind.map(|(first, _)| moment(first).to_string());
        json!({"size": self.size, "events": self.events, "waits_since": since})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATE_AFTER: Duration = Duration::from_mins(1);

    #[test]
    fn late_checkpoint_is_a_finding() {
        let of = |size, behind| Coverage { size, events: 9, behind }.finding(LATE_AFTER).map(|it| it.what);
        let later = Some((1_000_000, 61_000_001));
        let what = "the log went on until 1970-01-01T00:01:01.000Z, and no checkpoint covers it".to_owned();
        assert_eq!(of(Some(7), later), Some(what));
        assert_eq!(of(Some(7), Some((1_000_000, 61_000_000))), None);
        assert_eq!(of(Some(9), None), None);
        assert_eq!(of(None, later), None, "it was never served");
    }
}
