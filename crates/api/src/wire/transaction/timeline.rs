//! Timeline of a transaction: the statuses that it had, derived from its events.

use daybook_domain::calendar::ReturnCode;
use daybook_domain::transaction::{Event, Status};
use daybook_domain::{Currency, Event as AnyEvent, Origin, Timestamp, TransactionId};
use daybook_engine::Comment;
use daybook_projector::RecordedEvent;
use serde::Serialize;
use utoipa::ToSchema;

use super::note;
use crate::description::values::TransactionStatus;

/// A status of a transaction, with the time at which it began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = TimelineEntry)]
pub(super) struct Entry {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    code: Option<ReturnCode>,
    date: i64,
    note: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    simulated: bool,
    #[schema(value_type = TransactionStatus)]
    status: &'static str,
    status_id: &'static str,
}

impl Entry {
    fn new(status: Status, note: impl Into<String>, origin: Origin, date: Timestamp) -> Self {
        Self {
            code: None,
            date: date.ms(),
            note: note.into(),
            simulated: origin.simulated,
            status: status.as_str(),
            status_id: status.id(),
        }
    }
}

/// Returns one entry per status, oldest first. `comments` are the opened comments in the order of their events; each is
/// appended to the note of the status during which it was made.
pub(super) fn timeline(
    events: &[RecordedEvent],
    comments: &[Option<Comment>],
    currency: Currency,
) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut comments = comments.iter();
    // Collected for the note of the next settlement.
    let (mut receiver, mut redirected) = (None, String::new());
    for happened in events {
        let AnyEvent::Transaction(event) = &happened.event else { continue };
        if let Event::Commented(_) = event {
            let comment = comments.next().and_then(Option::as_ref);
            if let Some((entry, comment)) = entries.last_mut().zip(comment) {
                entry.note.push(' ');
                entry.note.push_str(&comment.text);
            }
        }
        if let Event::FeesRedirected(step) = event {
            redirected = note::redirected(&step.redirects, receiver, currency);
        }
        if let Event::Created(created) = event {
            receiver = created.to.node();
        }
        let id = TransactionId::from_u128(happened.key.id);
        if let Some(mut entry) = entry(id, event, happened.effective_at, currency) {
            entry.note.push_str(&std::mem::take(&mut redirected));
            entries.push(entry);
        }
    }
    entries
}

/// Returns the entry of the status that begins with an event; `None` if the event does not change the status.
fn entry(id: TransactionId, event: &Event, at: Timestamp, currency: Currency) -> Option<Entry> {
    Some(match event {
        Event::Created(step) => Entry::new(Status::Created, note::created(id, step.again), step.origin, at),
        Event::Released(step) => Entry::new(Status::Created, "Transaction Released.", step.origin, at),
        Event::Queued(step) => {
            Entry::new(Status::Queued, note::queued(&step.reasons, &step.waits_for), step.origin, at)
        }
        Event::DebitStarted(step) => {
            Entry::new(Status::ProcessingDebit, "Processing Debit.", step.origin, at)
        }
        Event::CreditStarted(step) => {
            Entry::new(Status::ProcessingCredit, "Processing Credit.", step.origin, at)
        }
        Event::Settled(step) => Entry::new(Status::Settled, "Transaction Settled.", step.origin, at),
        Event::Canceled(step) => {
            let note = note::canceled(step.reason, step.origin.by, currency);
            Entry::new(Status::Canceled, note, step.origin, at)
        }
        Event::Returned(step) => {
            let entry = Entry::new(Status::Returned, note::returned(step.code), step.origin, at);
            Entry { code: Some(step.code), ..entry }
        }
        // Comments, and messages between ledger and bank, do not change the status.
        Event::Commented(_)
        | Event::Submitted(_)
        | Event::Withdrawn(_)
        | Event::Cleared(_)
        | Event::Reopened(_)
        | Event::WrittenOff(_)
        | Event::ReturnContested(_) => return None,
        // Part of the note of the step that follows.
        Event::Announced(_) | Event::FeesRedirected(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use daybook_domain::id::FileId;
    use daybook_domain::posting::Rail;
    use daybook_domain::transaction::recipient::Obstacle;
    use daybook_domain::transaction::{
        CancelReason, Canceled, Commented, CreditStarted, Direction, FeesRedirected, QueueReason, Queued,
        Redirect, Released, Returned, Settled, Submitted,
    };
    use daybook_domain::{NodeId, PlatformId, TransactionId, UserId};
    use serde_json::json;

    use super::*;

    fn happened(ms: i64, event: impl Into<AnyEvent>) -> RecordedEvent {
        let key = TransactionId::from_u128(3).into();
        RecordedEvent {
            position: 1,
            recorded_at: Timestamp::from_ms(1),
            effective_at: Timestamp::from_ms(ms),
            event_id: 1,
            key,
            platform: PlatformId::from_u128(9),
            version: 1,
            event: event.into(),
        }
    }

    fn commented(ms: i64) -> RecordedEvent {
        happened(ms, Commented { by: UserId::from_u128(1), comment: None })
    }

    fn credit_started(ms: i64) -> RecordedEvent {
        happened(ms, CreditStarted { pending_in: 1, postings: None, origin: Origin::PROCESS })
    }

    fn notes(events: &[RecordedEvent], comments: &[Option<Comment>]) -> Vec<String> {
        timeline(events, comments, Currency::USD).into_iter().map(|entry| entry.note).collect()
    }

    fn opened<const N: usize>(texts: [&str; N]) -> [Option<Comment>; N] {
        texts.map(|text| (!text.is_empty()).then(|| Comment { text: text.to_owned() }))
    }

    #[test]
    fn comment_belongs_to_status_at_its_time() {
        let canceled =
            Canceled { reason: CancelReason::SenderNotAllowed, postings: None, origin: Origin::PROCESS };
        let events = [credit_started(1), commented(2), commented(3), happened(9, canceled), commented(10)];
        let comments = opened(["One", "two", "Late"]);
        let expected = [
            "Processing Credit. One two",
            "Transaction Canceled. sender_not_allowed: the sender's node may not be debited. Late",
        ];
        assert_eq!(notes(&events, &comments), expected);
    }

    #[test]
    fn unopened_comment_is_omitted() {
        let events = [credit_started(1), commented(2), commented(3)];
        assert_eq!(notes(&events, &opened(["", "two"])), ["Processing Credit. two"]);
        assert_eq!(notes(&events, &[]), ["Processing Credit."]);
        assert_eq!(notes(&[commented(1)], &opened(["nowhere"])), [""; 0]);
    }

    #[test]
    fn entry_has_effective_time_and_status() {
        let entry = Entry {
            date: 7,
            note: "Processing Credit.".to_owned(),
            status: "PROCESSING-CREDIT",
            status_id: "3",
            ..Entry::default()
        };
        assert_eq!(timeline(&[credit_started(7)], &[], Currency::USD), [entry]);
    }

    #[test]
    fn release_and_return_have_own_entries() {
        let origin = Origin::simulated();
        let events = [
            happened(
                1,
                Queued { reasons: vec![QueueReason::Risk], waits_for: vec![], origin: Origin::PROCESS },
            ),
            happened(2, Released { origin }),
            happened(3, Returned { code: "R01".parse().unwrap(), leg: None, postings: None, origin }),
        ];
        let expected = json!([
            {"date": 1, "note": "Transaction queued by ledger. Q10: somebody found it risky.",
                "status": "QUEUED-BY-LEDGER", "status_id": "-1"},
            {"date": 2, "note": "Transaction Released.", "simulated": true, "status": "CREATED", "status_id": "1"},
            {"code": "R01", "date": 3, "note": "Transaction Returned. R01: Insufficient funds.", "simulated": true,
                "status": "RETURNED", "status_id": "6"},
        ]);
        assert_eq!(serde_json::to_value(timeline(&events, &[], Currency::USD)).unwrap(), expected);
    }

    #[test]
    fn settlement_note_explains_redirected_fees() {
        let [from, to] = [7, 8].map(NodeId::from_u128);
        let redirect = Redirect { fee: 0, minor: 150, from, obstacle: Obstacle::Locked, to };
        let origin = Origin::PROCESS;
        let events = [
            happened(1, FeesRedirected { redirects: vec![redirect], origin }),
            happened(2, Settled { postings: None, origin }),
        ];
        let note =
            format!("Transaction Settled. The fee of 1.50 went to the platform: node {from} is locked.");
        assert_eq!(notes(&events, &[]), [note]);
    }

    #[test]
    fn rail_events_do_not_change_status() {
        let submitted =
            Submitted { file: FileId::from_u128(1), rail: Rail::Ach, direction: Direction::Pull, trace: 1 };
        let events = [credit_started(1), happened(2, submitted)];
        assert_eq!(notes(&events, &[]), ["Processing Credit."]);
    }
}
