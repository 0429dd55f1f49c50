use daybook_domain::node::NodeKind;
use daybook_domain::posting::{Net, Postings};
use daybook_domain::transaction::{Created, DebitStarted, Status};
use daybook_domain::{Currency, NodeId, Origin, PlatformId, Timestamp, UserId};
use serde_json::{Value, json};

use super::*;

const AT: Timestamp = Timestamp::from_ms(1_700_000_000_000);

fn node(id: u128, kind: NodeKind) -> Party {
    Party::Node { id: NodeId::from_u128(id), user: UserId::from_u128(10 + id), kind }
}

fn transaction(from: Party, fees: Vec<Fee>) -> transaction::Transaction {
    transaction::Transaction {
        platform: PlatformId::from_u128(9),
        from,
        to: node(2, NodeKind::LedgerUs),
        subject: UserId::from_u128(11),
        amount: Money::new(10_010, Currency::USD),
        fees,
        attachments: vec![],
        is_micro_deposit: false,
        again: 0,
        status: Status::Created,
        queue: vec![],
        waits_for: vec![],
        queued_at: None,
        return_code: None,
        contests: vec![],
        hold: 0,
        pending_in: 0,
        announced: vec![],
        redirected: vec![],
        net: Net::new(Currency::USD),
        cleared: Net::new(Currency::USD),
        submitted: vec![],
        process_on: AT.plus_ms(1_000),
        pace_ms: 0,
        details: None,
        created_at: AT,
        moved_at: AT,
    }
}

fn created(transaction: &transaction::Transaction) -> RecordedEvent {
    let event = Created {
        platform: transaction.platform,
        from: transaction.from,
        to: transaction.to,
        subject: transaction.subject,
        amount: transaction.amount,
        fees: transaction.fees.clone(),
        hold: 0,
        process_on: transaction.process_on,
        pace_ms: 0,
        attachments: vec![],
        is_micro_deposit: false,
        again: 0,
        origin: Origin::PROCESS,
        details: None,
    };
    happened(AT, event)
}

fn happened(recorded_at: Timestamp, event: impl Into<daybook_domain::Event>) -> RecordedEvent {
    let key = TransactionId::from_u128(3).into();
    RecordedEvent {
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

fn json_of(
    transaction: &transaction::Transaction,
    details: &TransactionDetails,
    events: &[RecordedEvent],
) -> String {
    let client = Client { id: "client_id_1".to_owned(), name: "Acme".to_owned() };
    let view = TransactionView {
        id: TransactionId::from_u128(3),
        viewer: transaction.from.user().or(transaction.to.user()).unwrap_or(transaction.subject),
        transaction,
        details,
        events,
        comments: &[],
        from: Names { nickname: "Mine", legal_names: &["Ada".to_owned()] },
        to: Names { nickname: "Yours", legal_names: &["Bob".to_owned()] },
        client: &client,
        base_url: "http://localhost:8080",
    };
    serde_json::to_string(&render(&view)).unwrap()
}

fn show(
    transaction: &transaction::Transaction,
    details: &TransactionDetails,
    events: &[RecordedEvent],
) -> Value {
    serde_json::from_str(&json_of(transaction, details, events)).unwrap()
}

#[test]
fn transaction_record_has_the_contract_shape() {
    let transaction = transaction(node(1, NodeKind::DepositUs), vec![]);
    let status = json!({
        "date": 1_700_000_000_000_i64, "note": "Transaction Created.", "status": "CREATED", "status_id": "1",
    });
    let expected = json!({
        "_id": "00000000000000000000000003",
        "_links": {"self": {"href": concat!(
            "http://localhost:8080/v3.1/users/0000000000000000000000000B",
            "/nodes/00000000000000000000000001/trans/00000000000000000000000003",
        )}},
        "_v": 2,
        "amount": {"amount": 100.1, "currency": "USD"},
        "client": {"id": "client_id_1", "name": "Acme"},
        "extra": {
            "created_on": 1_700_000_000_000_i64, "ip": "", "latlon": "0,0", "note": "",
            "process_on": 1_700_000_001_000_i64, "supp_id": "",
        },
        "fees": [],
        "from": {
            "id": "00000000000000000000000001", "nickname": "Mine", "type": "DEPOSIT-US",
            "user": {"_id": "0000000000000000000000000B", "legal_names": ["Ada"]},
        },
        "recent_status": status,
        "timeline": [status],
        "to": {
            "id": "00000000000000000000000002", "nickname": "Yours", "type": "LEDGER-US",
            "user": {"_id": "0000000000000000000000000C", "legal_names": ["Bob"]},
        },
    });
    let events = [created(&transaction)];
    assert_eq!(show(&transaction, &TransactionDetails::default(), &events), expected);
}

#[test]
fn amounts_are_written_exactly() {
    let fee = Fee { minor: 7, to: NodeId::from_u128(4) };
    let json =
        json_of(&transaction(node(1, NodeKind::DepositUs), vec![fee]), &TransactionDetails::default(), &[]);
    assert!(json.contains(r#""amount":{"amount":100.10,"currency":"USD"}"#), "{json}");
    assert!(
        json.contains(r#""fees":[{"fee":0.07,"note":"","to":{"id":"00000000000000000000000004"}}]"#),
        "{json}"
    );
}

#[test]
fn optional_details_are_shown() {
    let details = TransactionDetails {
        supp_id: Some("s".to_owned()),
        note: Some("n".to_owned()),
        ip: Some("::1".to_owned()),
        fee_notes: vec![None, Some("why".to_owned())],
    };
    let fee = |id| Fee { minor: 100, to: NodeId::from_u128(id) };
    let shown = show(&transaction(node(1, NodeKind::DepositUs), vec![fee(4), fee(5)]), &details, &[]);
    assert_eq!(shown["extra"]["supp_id"], "s");
    assert_eq!(shown["extra"]["note"], "n");
    assert_eq!(shown["extra"]["ip"], "::1");
    assert_eq!((&shown["fees"][0]["note"], &shown["fees"][1]["note"]), (&json!(""), &json!("why")));
}

#[test]
fn incoming_payment_links_to_receiver() {
    let transaction = transaction(Party::Outside { rail: Rail::Ach }, vec![]);
    let shown = show(&transaction, &TransactionDetails::default(), &[]);
    let outside = json!({
        "id": "", "nickname": "External account", "type": "ACH-US", "user": {"_id": "", "legal_names": []},
    });
    assert_eq!(shown["from"], outside);
    let link = concat!(
        "http://localhost:8080/v3.1/users/0000000000000000000000000C",
        "/nodes/00000000000000000000000002/trans/00000000000000000000000003",
    );
    assert_eq!(shown["_links"]["self"]["href"], link);
}

#[test]
fn outgoing_payment_links_to_sender() {
    let mut transaction = transaction(node(1, NodeKind::DepositUs), vec![]);
    transaction.to = Party::Outside { rail: Rail::Wire };
    let shown = show(&transaction, &TransactionDetails::default(), &[]);
    let outside = json!({
        "id": "", "nickname": "External account", "type": "WIRE-US", "user": {"_id": "", "legal_names": []},
    });
    assert_eq!(shown["to"], outside);
    let link = concat!(
        "http://localhost:8080/v3.1/users/0000000000000000000000000B",
        "/nodes/00000000000000000000000001/trans/00000000000000000000000003",
    );
    assert_eq!(shown["_links"]["self"]["href"], link);
}

#[test]
fn external_side_has_type_of_its_rail() {
    for (rail, kind) in [(Rail::Ach, "ACH-US"), (Rail::Wire, "WIRE-US"), (Rail::Check, "CHECK-US")] {
        let transaction = transaction(Party::Outside { rail }, vec![]);
        assert_eq!(show(&transaction, &TransactionDetails::default(), &[])["from"]["type"], kind);
    }
}

#[test]
fn the_newest_entry_is_the_recent_status() {
    let transaction = transaction(node(1, NodeKind::DepositUs), vec![]);
    let postings = Postings::new(Currency::USD, vec![]).unwrap();
    let events =
        [created(&transaction), happened(AT.plus_ms(5), DebitStarted { postings, origin: Origin::PROCESS })];
    let shown = show(&transaction, &TransactionDetails::default(), &events);
    assert_eq!(shown["timeline"].as_array().map(Vec::len), Some(2));
    assert_eq!(shown["recent_status"]["status"], "PROCESSING-DEBIT");
    assert_eq!(shown["recent_status"], shown["timeline"][1]);
}
