//! Notes of a timeline: the reason for which a transaction is queued, canceled or returned, as a code for programs and
//! a text for people.

use daybook_domain::account::Shortfall;
use daybook_domain::calendar::ReturnCode;
use daybook_domain::transaction::recipient::Obstacle;
use daybook_domain::transaction::{CancelReason, QueueReason, Redirect, WaitsFor};
use daybook_domain::{Actor, Currency, Money, NodeId, TransactionId};

/// Returns the note of a creation, with the pull that the transaction presents again, if it does.
pub(super) fn created(id: TransactionId, again: u8) -> String {
    match again {
        0 => "Transaction Created.".to_owned(),
        _ => format!("Transaction Created. It presents {} again.", id.again(again)),
    }
}

/// Returns one sentence per reason for queuing, and one if a reason concerns the recipient of a fee.
pub(super) fn queued(reasons: &[QueueReason], waits_for: &[WaitsFor]) -> String {
    let sentence = |reason: &QueueReason| format!(" {}: {}.", reason.code(), why_queued(*reason));
    let sentences: String = reasons.iter().map(sentence).collect();
    let of_fee = if waits_for.is_empty() { "" } else { " Who gets a fee counts as a receiver." };
    format!("Transaction queued by ledger.{sentences}{of_fee}")
}

/// Returns the note about fees that their nodes could not receive.
pub(super) fn redirected(redirects: &[Redirect], receiver: Option<NodeId>, currency: Currency) -> String {
    let sentence = |Redirect { minor, from, obstacle, to, .. }: &Redirect| {
        let whose = if Some(*to) == receiver { "stays with the receiver" } else { "went to the platform" };
        let why = match obstacle {
            Obstacle::NotActive => "is not active",
            Obstacle::Locked => "is locked",
            Obstacle::Owner => "is of a user who may not receive",
        };
        format!(" The fee of {} {whose}: node {from} {why}.", Money::new(*minor, currency))
    };
    redirects.iter().map(sentence).collect()
}

const fn why_queued(reason: QueueReason) -> &'static str {
    match reason {
        QueueReason::SenderPermission => "the sender lacks the permission to send",
        QueueReason::ReceiverPermission => "the receiver lacks the permission to receive",
        QueueReason::SenderLocked => "the sender's node is locked",
        QueueReason::ReceiverLocked => "the receiver's node is locked",
        QueueReason::DailyLimit => "it would exceed what may move on one day",
        QueueReason::Risk => "somebody found it risky",
        QueueReason::SenderNotAuthorised => "the sender is not authorised",
        QueueReason::ReceiverNotAuthorised => "the receiver is not authorised",
    }
}

/// Returns the note of a return, in the rail's own words.
pub(super) fn returned(code: ReturnCode) -> String {
    format!("Transaction Returned. {code}: {}.", code.title())
}

/// Returns the note of a cancellation. `by` is the actor that requested it, for [`CancelReason::Requested`].
pub(super) fn canceled(reason: CancelReason, by: Actor, currency: Currency) -> String {
    let (code, text) = match reason {
        CancelReason::SenderNotAllowed => ("sender_not_allowed", "the sender's node may not be debited"),
        CancelReason::ReceiverNotAllowed => {
            ("receiver_not_allowed", "the receiver's node may not be credited")
        }
        CancelReason::InsufficientFunds(shortfall) => {
            let numbers = numbers(shortfall, currency);
            return format!("Transaction Canceled. insufficient_funds: {numbers}.");
        }
        CancelReason::QueueExpired => ("queue_expired", "it was held back for 14 days"),
        CancelReason::Requested => requested(by),
        CancelReason::OutOfRange => ("out_of_range", "a balance would not fit its range"),
    };
    format!("Transaction Canceled. {code}: {text}.")
}

const fn requested(by: Actor) -> (&'static str, &'static str) {
    match by {
        Actor::User(_) => ("canceled_by_user", "the sender asked for it"),
        Actor::Platform => ("canceled_by_platform", "the platform asked for it"),
        Actor::Operator(_) => ("canceled_by_operator", "an operator asked for it"),
        Actor::Process | Actor::Bank => ("canceled_by_ledger", "the ledger asked for it"),
    }
}

fn numbers(Shortfall { needed, available, held }: Shortfall, currency: Currency) -> String {
    let [needed, available, held] = [needed, available, held].map(|minor| Money::new(minor, currency));
    format!("needed {needed}, available {available}, held {held} {currency}")
}

#[cfg(test)]
mod tests {
    use daybook_domain::{OperatorId, UserId};

    use super::*;

    #[test]
    fn cancel_note_has_reason_and_amounts() {
        let shortfall = Shortfall { needed: 1_000, available: -5, held: 250 };
        let table = [
            (
                CancelReason::InsufficientFunds(shortfall),
                "insufficient_funds: needed 10.00, available -0.05, held 2.50 USD.",
            ),
            (CancelReason::SenderNotAllowed, "sender_not_allowed: the sender's node may not be debited."),
            (
                CancelReason::ReceiverNotAllowed,
                "receiver_not_allowed: the receiver's node may not be credited.",
            ),
            (CancelReason::QueueExpired, "queue_expired: it was held back for 14 days."),
            (CancelReason::OutOfRange, "out_of_range: a balance would not fit its range."),
        ];
        for (reason, note) in table {
            let expected = format!("Transaction Canceled. {note}");
            assert_eq!(canceled(reason, Actor::Process, Currency::USD), expected);
        }
    }

    #[test]
    fn cancel_note_names_the_requesting_actor() {
        let table = [
            (Actor::User(UserId::from_u128(1)), "canceled_by_user: the sender asked for it."),
            (Actor::Platform, "canceled_by_platform: the platform asked for it."),
            (Actor::Operator(OperatorId::from_u128(1)), "canceled_by_operator: an operator asked for it."),
        ];
        for (by, note) in table {
            let expected = format!("Transaction Canceled. {note}");
            assert_eq!(canceled(CancelReason::Requested, by, Currency::USD), expected);
        }
    }

    #[test]
    fn every_queue_reason_has_code_and_sentence() {
        let table = [
            (QueueReason::SenderPermission, "Q06: the sender lacks the permission to send."),
            (QueueReason::ReceiverPermission, "Q07: the receiver lacks the permission to receive."),
            (QueueReason::SenderLocked, "Q08: the sender's node is locked."),
            (QueueReason::ReceiverLocked, "Q09: the receiver's node is locked."),
            (QueueReason::DailyLimit, "Q10: it would exceed what may move on one day."),
            (QueueReason::Risk, "Q10: somebody found it risky."),
            (QueueReason::SenderNotAuthorised, "Q46: the sender is not authorised."),
            (QueueReason::ReceiverNotAuthorised, "Q47: the receiver is not authorised."),
        ];
        for (reason, note) in table {
            assert_eq!(queued(&[reason], &[]), format!("Transaction queued by ledger. {note}"));
        }
        let both = queued(&[QueueReason::SenderLocked, QueueReason::ReceiverLocked], &[]);
        assert_eq!(
            both,
            "Transaction queued by ledger. Q08: the sender's node is locked. Q09: the receiver's node is locked."
        );
    }
}
