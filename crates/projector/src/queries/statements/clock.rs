//! The clock of a platform, computed from its events: the time at a position of the log, and the position at which a
//! time begins.
//!
//! A platform's time is the time of recording plus the amount by which the clock was advanced by then. Both only grow
//! along the log, so the time never decreases, and each time begins at one position.

use daybook_domain::{Event, Timestamp, platform};
use daybook_log::{Head, Position};

use crate::store::recorded_event::RecordedEvent;

/// History of a platform's clock.
pub(super) struct Clock(Vec<Advance>);

/// One advance of the clock.
#[derive(Clone, Copy, Debug)]
struct Advance {
    /// Events after this position are decided at the advanced time.
    position: Position,
    recorded_at: Timestamp,
    /// Milliseconds by which the clock is ahead of the wall clock from there on.
    ahead_ms: i64,
}

impl Advance {
    /// Returns the platform's time directly after the advance.
    fn time(self) -> Timestamp {
        self.recorded_at.plus_ms(self.ahead_ms)
    }
}

/// Beginning of a time: earlier events were recorded before [`Self::recorded`] and are at [`Self::position`] at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Beginning {
    pub(super) recorded: Timestamp,
    pub(super) position: Option<Position>,
}

impl Clock {
    /// Computes the history of the clock from the platform's events.
    pub(super) fn of(events: &[RecordedEvent]) -> Self {
        let mut ahead_ms = 0_i64;
        let advance = |happened: &RecordedEvent| {
            let Event::Platform(platform::Event::ClockAdvanced(advanced)) = &happened.event else {
                return None;
            };
            ahead_ms = ahead_ms.saturating_add(advanced.ms);
            Some(Advance { position: happened.position, recorded_at: happened.recorded_at, ahead_ms })
        };
        Self(events.iter().filter_map(advance).collect())
    }

    /// Returns the platform's time at which the event at this position was decided.
    pub(super) fn time_of(&self, position: Position, recorded_at: Timestamp) -> Timestamp {
        let advance = self.0.iter().rfind(|advance| advance.position < position);
        recorded_at.plus_ms(advance.map_or(0, |advance| advance.ahead_ms))
    }

    /// Returns the platform's time after this commit. Later events are not decided before it.
    pub(super) fn time_after(&self, commit: Head) -> Timestamp {
        self.time_of(commit.position + 1, Timestamp::from_ms(commit.recorded_at_ms))
    }

    /// Returns the beginning of `time` by the platform's clock.
    pub(super) fn beginning(&self, time: Timestamp) -> Beginning {
        let before = self.0.partition_point(|advance| advance.time() < time);
        let (before, after) = self.0.split_at(before);
        let ahead_ms = before.last().map_or(0, |advance| advance.ahead_ms);
        Beginning { recorded: time.plus_ms(-ahead_ms), position: after.first().map(|next| next.position) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(advances: &[(Position, i64, i64)]) -> Clock {
        let advance = |&(position, recorded_ms, ahead_ms): &(Position, i64, i64)| Advance {
            position,
            recorded_at: Timestamp::from_ms(recorded_ms),
            ahead_ms,
        };
        Clock(advances.iter().map(advance).collect())
    }

    /// Returns commits of one event each: position, time of recording, and how far the platform's clock is ahead.
    fn lifetimes(advances: &[(Position, i64, i64)]) -> Vec<(Position, i64, i64)> {
        let recorded = [0, 0, 3, 3, 3, 7, 8, 20, 20, 21];
        let ahead = |position: Position| {
            advances.iter().rev().find(|(advanced, ..)| *advanced < position).map_or(0, |advance| advance.2)
        };
        (1..).zip(recorded).map(|(position, at)| (position, at, ahead(position))).collect()
    }

    #[test]
    fn beginning_separates_events_by_decision_time() {
        let stories: [&[(Position, i64, i64)]; 5] = [
            &[],
            &[(3, 3, 5)],
            &[(3, 3, 5), (4, 3, 6), (6, 7, 100)],
            &[(1, 0, 3), (7, 8, 4), (8, 20, 5)],
            &[(10, 21, 1)],
        ];
        for advances in stories {
            let (clock, commits) = (clock(advances), lifetimes(advances));
            let times = commits.iter().map(|(_, at, ahead)| at + ahead);
            assert!(times.is_sorted(), "{advances:?}");
            for time in -1..130 {
                let Beginning { recorded, position } = clock.beginning(Timestamp::from_ms(time));
                let lies_before =
                    |at: i64, of: Position| at < recorded.ms() && position.is_none_or(|last| of <= last);
                for &(of, at, ahead) in &commits {
                    assert_eq!(lies_before(at, of), at + ahead < time, "{advances:?}: {of} at {time}");
                }
            }
        }
    }

    #[test]
    fn later_commits_are_not_decided_earlier() {
        let advances: &[(Position, i64, i64)] = &[(3, 3, 5), (6, 7, 100)];
        let (clock, commits) = (clock(advances), lifetimes(advances));
        for &(position, recorded_at_ms, _) in &commits {
            let time = clock.time_after(Head { commit_no: position, position, recorded_at_ms });
            let later = commits.iter().filter(|(of, ..)| *of > position);
            assert!(later.into_iter().all(|(_, at, ahead)| at + ahead >= time.ms()), "{position}");
        }
    }
}
