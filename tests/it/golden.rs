//! Golden files: the exact bytes of one example of every event, per type and version. What was stored once must be
//! readable for ever, so a file here changes only on purpose: `DAYBOOK_BLESS=1 cargo test -p daybook-tests golden`.

#![allow(clippy::panic, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use daybook_domain::account::{Entry, Shortfall};
use daybook_domain::event::Schema;
use daybook_domain::id::BoxId;
use daybook_domain::node::{Allowed, NodeKind};
use daybook_domain::posting::{LedgerAccount, Posting, Postings, Rail};
use daybook_domain::transaction::{CancelReason, Fee, Party};
use daybook_domain::user::{
    Document, Permission, SubDocument, SubDocumentGroup, SubDocumentId, SubDocumentStatus,
};
use daybook_domain::{
    Currency, Event, Money, NodeId, PlatformId, Sealed, Timestamp, TransactionId, UserId, node, platform,
    transaction, user,
};

const PLATFORM: PlatformId = PlatformId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_0001);
const USER: UserId = UserId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_0002);
const PEER: UserId = UserId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_0003);
const SENDER: NodeId = NodeId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_0004);
const RECEIVER: NodeId = NodeId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_0005);
const FEES: NodeId = NodeId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_0006);
const PAYMENT: TransactionId = TransactionId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_0007);
/// 2024-11-23T18:00:00Z.
const NOON: Timestamp = Timestamp::from_ms(1_732_384_800_000);

fn usd(minor: i64) -> Money {
    Money::new(minor, Currency::USD)
}

fn sealed() -> Sealed {
    let id = BoxId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_0008);
    Sealed { id, bytes: Arc::from([0xde, 0xad, 0xbe, 0xef].as_slice()) }
}

fn party(id: NodeId, user: UserId) -> Party {
    Party::Node { id, user, kind: NodeKind::DepositUs }
}

fn postings(lines: &[(LedgerAccount, i64)]) -> Postings {
    let lines = lines.iter().map(|&(account, amount)| Posting { account, amount }).collect();
    Postings::new(Currency::USD, lines).expect("balanced")
}

/// One example of every event: a platform, a person, and a payment of 60.00 with a fee of 1.50 from her to a peer.
fn examples() -> Vec<Event> {
    [platform_and_people(), payment()].concat()
}

fn platform_and_people() -> Vec<Event> {
    let part = |digit, document_type: &str, group| SubDocument {
        id: SubDocumentId::new([digit; 32]),
        group,
        document_type: document_type.into(),
        status: SubDocumentStatus::Reviewing,
        updated_at: NOON,
    };
    let parts = vec![
        part(0x11, "EMAIL", SubDocumentGroup::Social),
        part(0x22, "SSN", SubDocumentGroup::Virtual),
        part(0x33, "GOVT_ID", SubDocumentGroup::Physical),
    ];
    let valid = |part: &SubDocument| (part.id.clone(), SubDocumentStatus::Valid);
    let findings = parts.iter().map(valid).collect();
    vec![
        platform::Opened { name: "Ünïted Payments".into(), sandbox: true, user: USER, reserve: FEES }.into(),
        user::Created { platform: PLATFORM, is_business: false, cip_tag: 1, profile: Some(sealed()) }.into(),
        user::DocumentAdded {
            document: Document { id: SubDocumentId::new([0xab; 32]), parts },
            contents: Some(sealed()),
        }
        .into(),
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
            cause: PAYMENT,
            delta: -6_000,
            hold_delta: -6_000,
            pending_delta: 0,
            posted: 4_000,
            held: 0,
            pending_in: 25,
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
            simulated: false,
            details: Some(sealed()),
        }
        .into(),
        transaction::DebitStarted { postings: postings(&[(Node(SENDER), 6_000), (Transit, -6_000)]) }.into(),
        transaction::CreditStarted { pending_in: 5_850 }.into(),
        transaction::Settled {
            postings: postings(&[(Transit, 6_000), (Node(RECEIVER), -5_850), (Node(FEES), -150)]),
        }
        .into(),
        transaction::Canceled {
            reason: CancelReason::InsufficientFunds(Shortfall { needed: 6_000, available: 4_000, held: 25 }),
            postings: Some(postings(&[(Node(SENDER), -6_000), (Transit, 6_000)])),
        }
        .into(),
        transaction::Commented { by: PEER, comment: Some(sealed()) }.into(),
    ]
}

/// Examples of what the first ones do not show, each with the name that its file has besides.
fn further_examples() -> Vec<(&'static str, Event)> {
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
        simulated: true,
        details: Some(sealed()),
    };
    let pulled = postings(&[(RailIn(Rail::Ach), 100_000_000), (Node(RECEIVER), -100_000_000)]);
    let canceled = |reason| transaction::Canceled { reason, postings: None }.into();
    vec![
        ("from_outside", received.into()),
        ("from_outside", transaction::Settled { postings: pulled }.into()),
        ("sender_not_allowed", canceled(CancelReason::SenderNotAllowed)),
        ("receiver_not_allowed", canceled(CancelReason::ReceiverNotAllowed)),
        ("sender_permission", canceled(CancelReason::SenderPermission)),
        ("receiver_permission", canceled(CancelReason::ReceiverPermission)),
    ]
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/events")
}

/// Compares `bytes` with the golden file, or writes it if that was asked for.
fn check(path: &Path, bytes: &[u8]) {
    if std::env::var_os("DAYBOOK_BLESS").is_some_and(|bless| bless == "1") {
        fs::create_dir_all(path.parent().expect("in a folder")).expect("folder");
        fs::write(path, bytes).expect("written");
    }
    let golden = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}; bless it?", path.display()));
    assert_eq!(String::from_utf8_lossy(bytes), String::from_utf8_lossy(&golden), "{}", path.display());
}

#[test]
fn every_event_is_written_and_read_as_its_golden_file_says() {
    let names: BTreeMap<Schema, &str> = Event::schemas().collect();
    let examples = examples();
    let shown: BTreeSet<Schema> = examples.iter().map(|event| event.encode().schema).collect();
    assert!(shown.iter().eq(names.keys()), "an event has no example");
    let first = examples.into_iter().map(|event| (None, event));
    let further = further_examples().into_iter().map(|(label, event)| (Some(label), event));
    for (label, event) in first.chain(further) {
        let encoded = event.encode();
        let label = label.map(|label| format!(".{label}")).unwrap_or_default();
        let file = format!("v{}{label}.json", encoded.schema.version);
        let path = folder().join(names[&encoded.schema]).join(file);
        check(&path, &encoded.data);
        let golden = fs::read(&path).expect("just compared");
        let read = Event::decode(encoded.schema, &golden, encoded.sealed.as_ref()).expect("decodes");
        assert_eq!(read, event, "{}", path.display());
    }
}

#[test]
fn the_numbers_of_the_types_are_kept() {
    let line = |(schema, name): (Schema, &str)| format!("{} v{} {name}\n", schema.event_type, schema.version);
    check(&folder().join("types.txt"), Event::schemas().map(line).collect::<String>().as_bytes());
}

fn version_of(path: &Path) -> Option<i16> {
    path.file_name()?.to_str()?.strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Those of older versions too, through their upcasters.
#[test]
fn every_file_that_was_ever_blessed_can_be_read() {
    let types: BTreeMap<_, _> = Event::schemas().map(|(schema, name)| (name, schema.event_type)).collect();
    let mut read = 0;
    for (name, event_type) in types {
        for file in fs::read_dir(folder().join(name)).expect("a folder per event") {
            let path = file.expect("entry").path();
            let version = version_of(&path);
            let schema = Schema { event_type, version: version.expect("v<N>.json, or v<N>.<which>.json") };
            let event = Event::decode(schema, &fs::read(&path).expect("bytes"), None);
            assert!(event.is_ok(), "{}: {event:?}", path.display());
            read += 1;
        }
    }
    assert!(read >= Event::schemas().count());
    let folders = fs::read_dir(folder())
        .expect("golden files")
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.path().is_dir()));
    assert_eq!(folders.count(), Event::schemas().count(), "a folder of an event that nobody knows");
}
