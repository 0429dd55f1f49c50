//! The clock of a platform as its events tell it: what time it is at a place of the log, and where a time begins.
//!
//! Both of what a platform's time is made of only grow: when a commit was recorded, and how far the clock was advanced by
//! then. So its time never goes back along the log, and each time begins at one place.

use daybook_domain::{Event, Timestamp, platform};
use daybook_log::{Head, Position};

use crate::store::happened::Happened;

/// How a platform's clock went.
pub(super) struct Clock(Vec<Advance>);

/// The clock was advanced.
#[derive(Clone, Copy, Debug)]
struct Advance {
    /// What is behind this position is decided later.
    position: Position,
    recorded_at: Timestamp,
    /// How far it is ahead of the wall's from there on, in milliseconds.
    ahead_ms: i64,
}

impl Advance {
    /// What time it was for the platform right after.
    fn time(self) -> Timestamp {
        self.recorded_at.plus_ms(self.ahead_ms)
    }
}

/// Where a time begins: what lies before it was recorded before [`Self::recorded`], and is not behind [`Self::position`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Beginning {
    pub(super) recorded: Timestamp,
    pub(super) position: Option<Position>,
}

impl Clock {
    /// As the platform's events tell it.
    pub(super) fn of(events: &[Happened]) -> Self {
        let mut ahead_ms = 0_i64;
        let advance = |happened: &Happened| {
            let Event::Platform(platform::Event::ClockAdvanced(advanced)) = &happened.event else {
                return None;
            };
            ahead_ms = ahead_ms.saturating_add(advanced.ms);
            Some(Advance { position: happened.position, recorded_at: happened.recorded_at, ahead_ms })
        };
        Self(events.iter().filter_map(advance).collect())
    }

    /// What time it was for the platform when the event at this position was decided.
    pub(super) fn time_of(&self, position: Position, recorded_at: Timestamp) -> Timestamp {
        let advance = self.0.iter().rfind(|advance| advance.position < position);
        recorded_at.plus_ms(advance.map_or(0, |advance| advance.ahead_ms))
    }

    /// What time it is for the platform after this commit: nothing that comes later is decided before.
    pub(super) fn time_after(&self, commit: Head) -> Timestamp {
        self.time_of(commit.position + 1, Timestamp::from_ms(commit.recorded_at_ms))
    }

    /// Where it becomes `time` for the platform.
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

    /// Commits of one event each: position, when it was recorded, how far ahead its platform was when it was decided.
    fn lives(advances: &[(Position, i64, i64)]) -> Vec<(Position, i64, i64)> {
        let recorded = [0, 0, 3, 3, 3, 7, 8, 20, 20, 21];
        let ahead = |position: Position| {
            advances.iter().rev().find(|(advanced, ..)| *advanced < position).map_or(0, |advance| advance.2)
        };
        (1..).zip(recorded).map(|(position, at)| (position, at, ahead(position))).collect()
    }

    #[test]
    fn what_lies_before_a_time_is_what_was_decided_before_it() {
        let stories: [&[(Position, i64, i64)]; 5] = [
            &[],
            &[(3, 3, 5)],
            &[(3, 3, 5), (4, 3, 6), (6, 7, 100)],
            &[(1, 0, 3), (7, 8, 4), (8, 20, 5)],
            &[(10, 21, 1)],
        ];
        for advances in stories {
            let (clock, commits) = (clock(advances), lives(advances));
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
    fn after_a_commit_it_is_what_nothing_later_can_be_before() {
        let advances: &[(Position, i64, i64)] = &[(3, 3, 5), (6, 7, 100)];
        let (clock, commits) = (clock(advances), lives(advances));
        for &(position, recorded_at_ms, _) in &commits {
            let time = clock.time_after(Head { commit_no: position, position, recorded_at_ms });
            let later = commits.iter().filter(|(of, ..)| *of > position);
            assert!(later.into_iter().all(|(_, at, ahead)| at + ahead >= time.ms()), "{position}");
        }
    }
}
