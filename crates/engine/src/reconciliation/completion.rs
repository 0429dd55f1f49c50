//! Position at which the statements up to a day were completed: all their lines were booked, and the matching rules were
//! tried on those in suspense.

use std::collections::{BTreeMap, VecDeque};

use daybook_domain::calendar::Day;
use daybook_domain::custody::Event;
use daybook_domain::{Currency, Event as AnyEvent, StatementId};
use daybook_projector::RecordedEvent;

/// Fold of the events of one account at a bank.
#[derive(Clone, Debug)]
pub struct Completion {
    /// Last day that counts.
    until: Day,
    /// Statements that have lines to take back or to book, in this order, and those without lines behind them.
    queue: VecDeque<Queued>,
    position: Option<u64>,
    /// Number of runs of the matching rules that were due so far.
    runs_due: u32,
    /// Number of the run that the last of the statements waits for, if any.
    awaited: Option<u32>,
    /// Newest day that the bank has stated, also those after the last day.
    stated_until: BTreeMap<Currency, Day>,
}

/// State of the statements up to a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completed {
    /// No statement is completed.
    None,
    /// Lines of one of them are to be booked.
    Booking,
    /// All are booked, and the matching rules have not been tried on the lines of the last one.
    Unmatched,
    /// All are completed at this position.
    At(u64),
}

#[derive(Clone, Copy, Debug)]
struct Queued {
    statement: StatementId,
    /// Its day; `None` if its lines are taken back.
    day: Option<Day>,
    has_lines: bool,
}

impl Completion {
    /// Begins a fold in which statements up to the day `until` count.
    #[must_use]
    pub const fn new(until: Day) -> Self {
        Self {
            until,
            queue: VecDeque::new(),
            position: None,
            runs_due: 0,
            awaited: None,
            stated_until: BTreeMap::new(),
        }
    }

    /// Folds the next event of the account. Other events change nothing.
    pub fn add(&mut self, happened: &RecordedEvent) {
        let AnyEvent::Custody(event) = &happened.event else { return };
        match event {
            Event::StatementBooked(booked) => {
                self.state_until(booked.currency, booked.day);
                self.complete(booked.day, happened.position, None);
            }
            Event::StatementAccepted(accepted) => {
                self.state_until(accepted.currency, accepted.day);
                let old = |statement| Queued { statement, day: None, has_lines: true };
                if let Some(old) = accepted.takes_back.map(old) {
                    self.queue.push_front(old);
                }
                let (statement, day, has_lines) =
                    (accepted.statement, Some(accepted.day), accepted.lines > 0);
                self.queue.push_back(Queued { statement, day, has_lines });
            }
            Event::StatementCompleted(completed) => {
                let index = self.queue.iter().position(|queued| queued.statement == completed.statement);
                let ended = index.and_then(|index| self.queue.remove(index));
                self.runs_due = self.runs_due.saturating_add(completed.to_match.into());
                if let Some(day) = ended.and_then(|ended| ended.day) {
                    let run = completed.to_match.then_some(self.runs_due);
                    self.complete(day, happened.position, run);
                }
            }
            Event::RulesSet(_) => self.runs_due = self.runs_due.saturating_add(1),
            Event::BreaksMatched(ended) => {
                if self.awaited.is_some_and(|run| run <= ended.runs) {
                    (self.awaited, self.position) = (None, Some(happened.position));
                }
            }
            Event::Opened(_) | Event::FileCut(_) | Event::FileSent(_) | Event::AccountSet(_) => {}
        }
        while let Some(day) = self.queue.front().filter(|first| !first.has_lines).and_then(|first| first.day)
        {
            self.queue.pop_front();
            self.complete(day, happened.position, None);
        }
    }

    /// State of the statements, and position of the event by which the last of them was completed.
    #[must_use]
    pub fn state(&self) -> Completed {
        let waits = |queued: &Queued| queued.day.is_some_and(|day| day <= self.until);
        if self.queue.iter().any(waits) {
            return Completed::Booking;
        }
        match (self.position, self.awaited) {
            (None, _) => Completed::None,
            (Some(_), Some(_)) => Completed::Unmatched,
            (Some(position), None) => Completed::At(position),
        }
    }

    /// Newest day that the bank has stated in each currency, after the last event.
    #[must_use]
    pub const fn stated_until(&self) -> &BTreeMap<Currency, Day> {
        &self.stated_until
    }

    fn state_until(&mut self, currency: Currency, day: Day) {
        let last = self.stated_until.entry(currency).or_insert(day);
        *last = day.max(*last);
    }

    /// Completes a day, whose lines the matching rules are tried on in `run`, if at all. A day behind one that waits for its
    /// run waits with it.
    fn complete(&mut self, day: Day, position: u64, run: Option<u32>) {
        if day <= self.until {
            (self.position, self.awaited) = (Some(position), run.or(self.awaited));
        }
    }
}

#[cfg(test)]
mod tests {
    use daybook_domain::custody::{BreaksMatched, StatementAccepted, StatementCompleted};
    use daybook_domain::{Currency, Key, Kind, PlatformId, Timestamp};

    use super::*;

    fn id(number: u128) -> StatementId {
        StatementId::from_u128(number)
    }

    fn day(number: i32) -> Day {
        Day::default().plus_days(number)
    }

    fn accepted(statement: u128, on: i32, lines: u32, takes_back: Option<u128>) -> Event {
        Event::StatementAccepted(StatementAccepted {
            statement: id(statement),
            currency: Currency::USD,
            day: day(on),
            closing: 0,
            lines,
            takes_back: takes_back.map(id),
        })
    }

    fn completed(statement: u128) -> Event {
        Event::StatementCompleted(StatementCompleted { statement: id(statement), to_match: false })
    }

    fn to_match(statement: u128) -> Event {
        Event::StatementCompleted(StatementCompleted { statement: id(statement), to_match: true })
    }

    fn matched(runs: u32) -> Event {
        Event::BreaksMatched(BreaksMatched { runs, version: 0, matched: 0, left: 0 })
    }

    /// Position after these events, counted from 1, with statements up to a day.
    fn position(until: i32, events: &[Event]) -> Option<u64> {
        match state(until, events) {
            Completed::At(position) => Some(position),
            Completed::None | Completed::Booking | Completed::Unmatched => None,
        }
    }

    fn state(until: i32, events: &[Event]) -> Completed {
        let mut completion = Completion::new(day(until));
        for (position, event) in (1..).zip(events) {
            completion.add(&RecordedEvent {
                position,
                recorded_at: Timestamp::from_ms(0),
                effective_at: Timestamp::from_ms(0),
                event_id: 0,
                key: Key { kind: Kind::Custody, id: 1 },
                platform: PlatformId::from_u128(1),
                version: 1,
                event: AnyEvent::Custody(event.clone()),
            });
        }
        completion.state()
    }

    #[test]
    fn last_completed_statement_until_day_counts() {
        let events = [accepted(1, 1, 5, None), accepted(2, 2, 5, None), completed(1), completed(2)];
        assert_eq!(position(1, &events), Some(3));
        assert_eq!(position(2, &events), Some(4));
        assert_eq!(position(0, &events), None);
        assert_eq!((position(1, &events[..3]), state(2, &events[..3])), (Some(3), Completed::Booking));
    }

    #[test]
    fn statement_without_lines_waits_for_others() {
        let events = [accepted(1, 1, 5, None), accepted(2, 2, 0, None), completed(1)];
        assert_eq!(position(2, &events), Some(3));
        assert_eq!(position(2, &events[..2]), None);
        assert_eq!(position(2, &events[1..2]), Some(1));
    }

    #[test]
    fn taking_lines_back_completes_no_day() {
        let before = [accepted(1, 1, 5, None), completed(1), accepted(2, 1, 5, Some(1)), completed(1)];
        assert_eq!((position(1, &before[..2]), state(1, &before)), (Some(2), Completed::Booking));
        let events = [&before[..], &[completed(2)]].concat();
        assert_eq!(position(1, &events), Some(5));
        let empty = [accepted(1, 1, 5, None), completed(1), accepted(2, 1, 0, Some(1)), completed(1)];
        assert_eq!(position(1, &empty), Some(4));
    }

    #[test]
    fn statement_waits_for_run_of_rules() {
        let events = [accepted(1, 1, 5, None), accepted(2, 2, 5, None), to_match(1), to_match(2)];
        assert_eq!(state(1, &events), Completed::Unmatched);
        // The run began before the second statement was completed.
        let one = [&events[..], &[matched(1)]].concat();
        assert_eq!((state(1, &one), state(2, &one)), (Completed::At(5), Completed::Unmatched));
        let both = [&events[..], &[matched(2)]].concat();
        assert_eq!((state(1, &both), state(2, &both)), (Completed::At(5), Completed::At(5)));
        let empty = [accepted(1, 1, 5, None), to_match(1), accepted(2, 2, 0, None), matched(1)];
        assert_eq!((state(2, &empty[..3]), state(2, &empty)), (Completed::Unmatched, Completed::At(4)));
        let later = [&both[..], &[accepted(3, 3, 5, None), to_match(3), matched(3)]].concat();
        assert_eq!(state(2, &later), Completed::At(5));
    }
}
