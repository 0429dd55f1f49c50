//! The statuses that a transaction went through, told from its events.

use daybook_domain::calendar::ReturnCode;
use daybook_domain::transaction::{Event, Status};
use daybook_domain::{Currency, Event as AnyEvent, Origin, Timestamp, TransactionId};
use daybook_engine::Comment;
use daybook_projector::Happened;
use serde::Serialize;
use utoipa::ToSchema;

use super::note;
use crate::description::values::TransactionStatus;

/// One status that a transaction had, or has.
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

/// An entry for each step, oldest first. `comments` are the opened ones in the order of their events; each is added
/// to the note of the status at which it was made.
pub(super) fn timeline(events: &[Happened], comments: &[Option<Comment>], currency: Currency) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut comments = comments.iter();
    // What the settlement after it adds to its note.
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

/// The status that begins with an event, if one does.
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
        // Words about a status, and what passes between the ledger and its bank: it stands where it stood.
        Event::Commented(_) | Event::Submitted(_) | Event::Withdrawn(_) | Event::Cleared(_) => return None,
        // Told by the step that they belong to.
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

    fn happened(ms: i64, event: impl Into<AnyEvent>) -> Happened {
        let key = TransactionId::from_u128(3).into();
        Happened {
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

    fn commented(ms: i64) -> Happened {
        happened(ms, Commented { by: UserId::from_u128(1), comment: None })
    }

    fn credit_started(ms: i64) -> Happened {
        happened(ms, CreditStarted { pending_in: 1, postings: None, origin: Origin::PROCESS })
    }

    fn notes(events: &[Happened], comments: &[Option<Comment>]) -> Vec<String> {
        timeline(events, comments, Currency::USD).into_iter().map(|entry| entry.note).collect()
    }

    fn opened<const N: usize>(texts: [&str; N]) -> [Option<Comment>; N] {
        texts.map(|text| (!text.is_empty()).then(|| Comment { text: text.to_owned() }))
    }

    #[test]
    fn a_comment_belongs_to_the_status_at_which_it_was_made() {
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
    fn a_comment_that_cannot_be_opened_is_left_out() {
        let events = [credit_started(1), commented(2), commented(3)];
        assert_eq!(notes(&events, &opened(["", "two"])), ["Processing Credit. two"]);
        assert_eq!(notes(&events, &[]), ["Processing Credit."]);
        assert_eq!(notes(&[commented(1)], &opened(["nowhere"])), [""; 0]);
    }

    #[test]
    fn an_entry_has_its_moment_by_the_clock_of_the_platform_and_its_status() {
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
    fn what_is_held_back_goes_on_as_created_and_a_return_tells_its_code() {
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
    fn a_settlement_tells_what_became_of_its_fees() {
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
    fn files_and_statements_are_no_status() {
        let submitted =
            Submitted { file: FileId::from_u128(1), rail: Rail::Ach, direction: Direction::Pull, trace: 1 };
        let events = [credit_started(1), happened(2, submitted)];
        assert_eq!(notes(&events, &[]), ["Processing Credit."]);
    }
}
