//! Example events of a platform, its users, and a payment between them.

use std::sync::Arc;

use daybook_domain::account::{Entry, Shortfall};
use daybook_domain::id::BoxId;
use daybook_domain::node::{Allowed, Inapplicable, NodeKind};
use daybook_domain::posting::{LedgerAccount, Posting, Postings, Rail};
use daybook_domain::transaction::{CancelReason, Fee, Party};
use daybook_domain::user::{
    Finding, Part, Permission, SubDocumentGroup, SubDocumentId, SubDocumentStatus, Verdict,
};
use daybook_domain::{
    Actor, AttachmentId, Bank, Currency, Event, Money, NodeId, Origin, PlatformId, Sealed, Timestamp,
    TransactionId, UserId, attachment, node, platform, transaction, user,
};

pub(super) const PLATFORM: PlatformId = PlatformId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_0001);
pub(super) const USER: UserId = UserId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_0002);
pub(super) const PEER: UserId = UserId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_0003);
pub(super) const SENDER: NodeId = NodeId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_0004);
pub(super) const RECEIVER: NodeId = NodeId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_0005);
pub(super) const FEES: NodeId = NodeId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_0006);
pub(super) const PAYMENT: TransactionId = TransactionId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_0007);
const IMAGE: AttachmentId = AttachmentId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_0009);
const BY_USER: Origin = Origin::of(Actor::User(USER));
/// 2024-11-23T18:00:00Z.
pub(super) const NOON: Timestamp = Timestamp::from_ms(1_732_384_800_000);

fn usd(minor: i64) -> Money {
    Money::new(minor, Currency::USD)
}

pub(super) fn sealed() -> Sealed {
    let id = BoxId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_0008);
    Sealed { id, bytes: Arc::from([0xde, 0xad, 0xbe, 0xef].as_slice()) }
}

fn party(id: NodeId, user: UserId) -> Party {
    Party::Node { id, user, kind: NodeKind::DepositUs }
}

pub(super) fn postings(lines: &[(LedgerAccount, i64)]) -> Postings {
    let lines = lines.iter().map(|&(account, amount)| Posting { account, amount }).collect();
    Postings::new(Currency::USD, lines).expect("balanced")
}

/// One example of every event: a platform, a user, and a payment of 60.00 with a fee of 1.50 to a peer.
pub(super) fn examples() -> Vec<Event> {
    [
        platform_and_people(),
        payment(),
        super::rails::examples(),
        super::operators::examples(),
        super::places::examples(),
    ]
    .concat()
}

fn platform_and_people() -> Vec<Event> {
    let part = |digit, document_type: &str, group| Part {
        id: SubDocumentId::new([digit; 32]),
        group,
        document_type: document_type.into(),
        image: (group == SubDocumentGroup::Physical).then_some(IMAGE),
        found: None,
    };
    let parts = vec![
        part(0x11, "EMAIL", SubDocumentGroup::Social),
        part(0x22, "SSN", SubDocumentGroup::Virtual),
        part(0x33, "GOVT_ID", SubDocumentGroup::Physical),
    ];
    let valid = |part: &Part| (part.id.clone(), SubDocumentStatus::Valid);
    let findings = parts.iter().map(valid).collect();
    let document = SubDocumentId::new([0xab; 32]);
    let verdicts = [None, Some(Verdict::Valid), Some(Verdict::MfaPending)];
    let founds = verdicts.map(|verdict| verdict.map(|verdict| Finding { verdict, at: NOON }));
    let known = parts.iter().cloned().zip(founds).map(|(part, found)| Part { found, ..part }).collect();
    vec![
        platform::Opened {
            name: "Ünïted Payments".into(),
            sandbox: true,
            user: USER,
            reserve: FEES,
            bank: Bank::SANDBOX,
            time_zone: None,
        }
        .into(),
        user::Created { platform: PLATFORM, is_business: false, cip_tag: 1, profile: Some(sealed()) }.into(),
        user::DocumentAdded { id: document.clone(), parts: parts.clone(), contents: Some(sealed()) }.into(),
        attachment::Added { platform: PLATFORM, subject: USER, evidence: None, contents: Some(sealed()) }
            .into(),
        user::ProfileSet { cip_tag: 3, origin: BY_USER, profile: Some(sealed()) }.into(),
        user::DocumentChanged { id: document.clone(), parts: known, contents: Some(sealed()) }.into(),
        user::DocumentRemoved { id: document }.into(),
        user::Verified { findings, permission: Permission::SendAndReceive }.into(),
        node::Created {
            platform: PLATFORM,
            user: USER,
            kind: NodeKind::DepositUs,
            allowed: Allowed::CreditAndDebit,
            is_active: true,
            gateway_restricted: false,
            details: Some(sealed()),
        }
        .into(),
    ]
}

fn payment() -> Vec<Event> {
    use LedgerAccount::{Node, Transit};
    vec![
        Entry {
            node: SENDER,
            currency: Currency::USD,
            cause: PAYMENT.into(),
            delta: -6_000,
            hold_delta: -6_000,
            pending_delta: 0,
            posted: 4_000,
            held: 0,
            pending_in: 25,
            day_in: 0,
            day_out: 6_000,
            day: None,
            returned: false,
        }
        .into(),
        transaction::Created {
            platform: PLATFORM,
            from: party(SENDER, USER),
            to: party(RECEIVER, PEER),
            subject: USER,
            amount: usd(6_000),
            fees: vec![Fee { minor: 150, to: FEES }],
            hold: 6_000,
            process_on: NOON,
            pace_ms: 1_000,
            attachments: vec![],
            is_micro_deposit: false,
            again: 0,
            origin: Origin::of(Actor::User(USER)),
            details: Some(sealed()),
        }
        .into(),
        transaction::DebitStarted {
            postings: postings(&[(Node(SENDER), 6_000), (Transit, -6_000)]),
            origin: Origin::PROCESS,
        }
        .into(),
        transaction::CreditStarted { pending_in: 5_850, postings: None, origin: Origin::PROCESS }.into(),
        transaction::Settled {
            postings: Some(postings(&[(Transit, 6_000), (Node(RECEIVER), -5_850), (Node(FEES), -150)])),
            origin: Origin::PROCESS,
        }
        .into(),
        transaction::Canceled {
            reason: CancelReason::InsufficientFunds(Shortfall { needed: 6_000, available: 4_000, held: 25 }),
            postings: Some(postings(&[(Node(SENDER), -6_000), (Transit, 6_000)])),
            origin: Origin::PROCESS,
        }
        .into(),
        transaction::Commented { by: PEER, comment: Some(sealed()) }.into(),
    ]
}

/// Further examples of events, each with the suffix of its file's name.
pub(super) fn further_examples() -> Vec<(&'static str, Event)> {
    use LedgerAccount::{Node, RailIn};
    let received = transaction::Created {
        platform: PLATFORM,
        from: Party::Outside { rail: Rail::Ach },
        to: party(RECEIVER, PEER),
        subject: PEER,
        amount: usd(100_000_000),
        fees: vec![],
        hold: 0,
        process_on: NOON,
        pace_ms: 0,
        attachments: vec![],
        is_micro_deposit: false,
        again: 0,
        origin: Origin::simulated(),
        details: Some(sealed()),
    };
    let pulled = postings(&[(RailIn(Rail::Ach), 100_000_000), (Node(RECEIVER), -100_000_000)]);
    let canceled =
        |reason| transaction::Canceled { reason, postings: None, origin: Origin::of(Actor::Platform) }.into();
    vec![
        ("from_outside", received.into()),
        ("from_outside", transaction::Settled { postings: Some(pulled), origin: Origin::simulated() }.into()),
        ("sender_not_allowed", canceled(CancelReason::SenderNotAllowed)),
        ("receiver_not_allowed", canceled(CancelReason::ReceiverNotAllowed)),
        ("queue_expired", canceled(CancelReason::QueueExpired)),
        ("requested", canceled(CancelReason::Requested)),
        ("returned", node::Locked { code: "R02".parse().ok(), origin: Origin::of(Actor::Bank) }.into()),
        ("not_credit", node::MicroDepositsInapplicable { reason: Inapplicable::NotCredit }.into()),
        ("not_active", node::MicroDepositsInapplicable { reason: Inapplicable::NotActive }.into()),
    ]
}
