//! The statuses that a transaction went through, told from its events.

use daybook_domain::account::Shortfall;
use daybook_domain::transaction::{CancelReason, Event, Status};
use daybook_domain::{Currency, Event as AnyEvent, Money};
use daybook_engine::Comment;
use daybook_projector::Happened;
use serde::Serialize;

/// One status that a transaction had, or has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Entry {
    date: i64,
    note: String,
    status: &'static str,
    status_id: &'static str,
}

/// An entry for each step, oldest first. `comments` are the opened ones in the order of their events; each is added
/// to the note of the status at which it was made.
pub(super) fn timeline(events: &[Happened], comments: &[Option<Comment>], currency: Currency) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut comments = comments.iter();
    for happened in events {
        let AnyEvent::Transaction(event) = &happened.event else { continue };
        let (status, note) = match event {
            Event::Created(_) => (Status::Created, "Transaction Created.".to_owned()),
            Event::DebitStarted(_) => (Status::ProcessingDebit, "Processing Debit.".to_owned()),
            Event::CreditStarted(_) => (Status::ProcessingCredit, "Processing Credit.".to_owned()),
            Event::Settled(_) => (Status::Settled, "Transaction Settled.".to_owned()),
            Event::Canceled(step) => (Status::Canceled, canceled(step.reason, currency)),
            Event::Commented(_) => {
                let comment = comments.next().and_then(Option::as_ref);
                if let Some((entry, comment)) = entries.last_mut().zip(comment) {
                    entry.note.push(' ');
                    entry.note.push_str(&comment.text);
                }
                continue;
            }
        };
        let date = happened.recorded_at.ms();
        entries.push(Entry { date, note, status: status.as_str(), status_id: status.id() });
    }
    entries
}

/// The note of a cancel: a code for machines, and the reason with its numbers.
fn canceled(reason: CancelReason, currency: Currency) -> String {
    let (code, text) = match reason {
        CancelReason::SenderNotAllowed => {
            ("sender_not_allowed", "the sender's node may not be debited".to_owned())
        }
        CancelReason::ReceiverNotAllowed => {
            ("receiver_not_allowed", "the receiver's node may not be credited".to_owned())
        }
        CancelReason::SenderPermission => {
            ("sender_permission", "the sender's permission does not allow sending".to_owned())
        }
        CancelReason::ReceiverPermission => {
            ("receiver_permission", "the receiver's permission does not allow receiving".to_owned())
        }
        CancelReason::InsufficientFunds(Shortfall { needed, available, held }) => {
            let [needed, available, held] =
                [needed, available, held].map(|minor| Money::new(minor, currency));
            let numbers = format!("needed {needed}, available {available}, held {held} {currency}");
            ("insufficient_funds", numbers)
        }
    };
    format!("Transaction Canceled. {code}: {text}.")
}

#[cfg(test)]
mod tests {
    use daybook_domain::transaction::{Canceled, Commented, CreditStarted};
    use daybook_domain::{PlatformId, Timestamp, TransactionId, UserId};

    use super::*;

    fn happened(ms: i64, event: impl Into<AnyEvent>) -> Happened {
        let key = TransactionId::from_u128(3).into();
        let recorded_at = Timestamp::from_ms(ms);
        Happened {
            position: 1,
            recorded_at,
            effective_at: recorded_at,
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
        happened(ms, CreditStarted { pending_in: 1 })
    }

    fn canceled_for(reason: CancelReason) -> Happened {
        happened(9, Canceled { reason, postings: None })
    }

    fn notes(events: &[Happened], comments: &[Option<Comment>]) -> Vec<String> {
        timeline(events, comments, Currency::USD).into_iter().map(|entry| entry.note).collect()
    }

    fn opened<const N: usize>(texts: [&str; N]) -> [Option<Comment>; N] {
        texts.map(|text| (!text.is_empty()).then(|| Comment { text: text.to_owned() }))
    }

    #[test]
    fn a_comment_belongs_to_the_status_at_which_it_was_made() {
        let reason = CancelReason::SenderNotAllowed;
        let events = [credit_started(1), commented(2), commented(3), canceled_for(reason), commented(10)];
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
    fn a_cancel_tells_its_reason_with_numbers() {
        let shortfall = Shortfall { needed: 1_000, available: -5, held: 250 };
        let table = [
            (
                CancelReason::InsufficientFunds(shortfall),
                "Transaction Canceled. insufficient_funds: needed 10.00, available -0.05, held 2.50 USD.",
            ),
            (
                CancelReason::ReceiverNotAllowed,
                "Transaction Canceled. receiver_not_allowed: the receiver's node may not be credited.",
            ),
            (
                CancelReason::SenderPermission,
                "Transaction Canceled. sender_permission: the sender's permission does not allow sending.",
            ),
            (
                CancelReason::ReceiverPermission,
                "Transaction Canceled. receiver_permission: the receiver's permission does not allow receiving.",
            ),
        ];
        for (reason, note) in table {
            assert_eq!(notes(&[canceled_for(reason)], &[]), [note]);
        }
    }

    #[test]
    fn an_entry_has_its_moment_and_its_status() {
        let entry = Entry {
            date: 7,
            note: "Processing Credit.".to_owned(),
            status: "PROCESSING-CREDIT",
            status_id: "3",
        };
        assert_eq!(timeline(&[credit_started(7)], &[], Currency::USD), [entry]);
    }
}
