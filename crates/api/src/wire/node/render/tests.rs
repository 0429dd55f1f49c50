use std::collections::BTreeMap;

use daybook_domain::node::{
    Allowed, AuthorizationEnded, Created, Deactivated, LimitsSet, Locked, MicroDepositsFailed,
    MicroDepositsInapplicable, MicroDepositsMissed, MicroDepositsResent, MicroDepositsSent,
    MicroDepositsVerified, Relabeled, Unlocked,
};
use daybook_domain::{Origin, PlatformId, Timestamp, TransactionId, UserId};
use daybook_engine::{LinkedDetails, MatchInfo};
use serde_json::{Value, json};

use super::*;

const AT: Timestamp = Timestamp::from_ms(1_700_000_000_000);

fn node(kind: NodeKind) -> node::Node {
    node::Node {
        platform: PlatformId::from_u128(9),
        user: UserId::from_u128(1),
        kind,
        permitted: kind.default_allowed(),
        is_locked: false,
        limits: BTreeMap::new(),
        micro_deposits: None,
        missed: 0,
        resent: 0,
        noted: None,
        locked_for: None,
        is_active: true,
        gateway_restricted: false,
        details: None,
        created_at: AT,
    }
}

fn created(id: NodeId) -> RecordedEvent {
    let event = Created {
        platform: PlatformId::from_u128(9),
        user: UserId::from_u128(1),
        kind: NodeKind::DepositUs,
        allowed: Allowed::CreditAndDebit,
        is_active: true,
        gateway_restricted: false,
        details: None,
    };
    happened(id, event)
}

fn happened(id: NodeId, event: impl Into<AnyEvent>) -> RecordedEvent {
    RecordedEvent {
        position: 1,
        recorded_at: Timestamp::from_ms(1),
        effective_at: AT,
        event_id: 1,
        key: id.into(),
        platform: PlatformId::from_u128(9),
        version: 1,
        event: event.into(),
    }
}

fn show(kind: NodeKind, details: &NodeDetails, balance: Option<&Account>) -> Value {
    let client = Client { id: "client_id_1".to_owned(), name: "Acme".to_owned() };
    let id = NodeId::from_u128(2);
    let view = NodeView {
        id,
        node: &node(kind),
        details,
        balance,
        name_on_account: "Ada",
        timeline: &[created(id)],
        client: &client,
        base_url: "http://localhost:8080",
    };
    serde_json::to_value(render(&view)).unwrap()
}

fn details() -> NodeDetails {
    NodeDetails { nickname: "Mine".to_owned(), ..NodeDetails::default() }
}

#[test]
fn node_record_has_the_contract_shape() {
    let expected = json!({
        "_id": "00000000000000000000000002",
        "_links": {"self": {"href": concat!(
            "http://localhost:8080/v3.1/users/00000000000000000000000001",
            "/nodes/00000000000000000000000002",
        )}},
        "allowed": "CREDIT-AND-DEBIT",
        "client": {"id": "client_id_1", "name": "Acme"},
        "extra": {"note": null, "other": {}, "supp_id": null},
        "info": {"nickname": "Mine", "name_on_account": "Ada", "balance": {"amount": 0.0, "currency": "USD"}},
        "is_active": true,
        "timeline": [{"date": 1_700_000_000_000_i64, "note": "Node created."}],
        "type": "DEPOSIT-US",
        "user_id": "00000000000000000000000001",
    });
    assert_eq!(show(NodeKind::DepositUs, &details(), None), expected);
}

#[test]
fn locked_node_shows_lock() {
    let locked = node::Node { is_locked: true, ..node(NodeKind::DepositUs) };
    let client = Client { id: String::new(), name: String::new() };
    let view = NodeView {
        id: NodeId::from_u128(2),
        node: &locked,
        details: &details(),
        balance: None,
        name_on_account: "",
        timeline: &[],
        client: &client,
        base_url: "",
    };
    assert_eq!(serde_json::to_value(render(&view)).unwrap()["allowed"], "LOCKED");
}

#[test]
fn timeline_shows_only_events_for_the_owner() {
    let (id, origin) = (NodeId::from_u128(2), Origin::PROCESS);
    let transactions = [TransactionId::from_u128(3), TransactionId::from_u128(4)];
    let events = [
        happened(id, Locked { code: None, origin }),
        happened(id, Locked { code: "R02".parse().ok(), origin }),
        happened(id, AuthorizationEnded { code: "R10".parse().unwrap(), origin }),
        happened(id, Unlocked { origin }),
        happened(id, LimitsSet { limits: BTreeMap::new(), origin }),
        happened(id, MicroDepositsSent { transactions, amounts: [10, 10] }),
        happened(id, MicroDepositsFailed {}),
        happened(id, MicroDepositsMissed { attempts: 1 }),
        happened(id, MicroDepositsVerified {}),
        happened(id, MicroDepositsResent { transactions, amounts: [10, 10], count: 1 }),
        happened(id, MicroDepositsInapplicable { reason: Inapplicable::OtherType }),
        happened(id, MicroDepositsInapplicable { reason: Inapplicable::NotCredit }),
        happened(id, MicroDepositsInapplicable { reason: Inapplicable::NotActive }),
        happened(id, Relabeled { changes_supp_id: false, details: None }),
        happened(id, Relabeled { changes_supp_id: true, details: None }),
        happened(id, Deactivated { origin }),
    ];
    let notes: Vec<_> = events.iter().filter_map(note).map(|note| note.note).collect();
    let expected = [
        "Node locked.",
        "Node locked. R02: Account closed.",
        "Allowed changed to CREDIT. R10: Originator not known or not authorized to debit the account.",
        "Node unlocked.",
        "Micro deposits initiated.",
        "Micro deposits could not be sent.",
        "Invalid micro deposit amounts attempted.",
        "Correct micro deposit amounts attempted. Allowed changed to CREDIT-AND-DEBIT.",
        "Micro deposits reinitiated.",
        "Micro deposit not applicable: the node's type is not ACH-US.",
        "Micro deposit not applicable: allowed is not CREDIT.",
        "Micro deposit not applicable: the node is not active.",
        "Node supp_id updated.",
        "Node deactivated.",
    ];
    assert_eq!(notes, expected);
}

#[test]
fn balance_shows_the_posted_amount() {
    let account = Account { posted: 1_230, held: 230, ..Account::new(NodeId::from_u128(2), Currency::USD) };
    for kind in NodeKind::ALL.into_iter().filter(|kind| kind.is_held()) {
        let place = place(kind, &details(), Some(&account));
        let json = serde_json::to_string(&place).unwrap();
        assert_eq!(json, r#"{"balance":{"amount":12.30,"currency":"USD"}}"#, "{kind:?}");
    }
    // Checked through the flattened struct too, which could change a number.
    assert_eq!(
        show(NodeKind::LedgerUs, &details(), Some(&account))["info"]["balance"]["amount"],
        json!(12.3)
    );
}

#[test]
fn external_numbers_show_four_digits() {
    let mut details = details();
    details.account_num = Some("1234567890".to_owned());
    details.routing_num = Some("051000017".to_owned());
    let bank = json!({
        "nickname": "Mine", "name_on_account": "Ada", "account_num": "7890", "routing_num": "0017", "address": "",
        "bank_name": "", "bank_long_name": "", "balance": {"amount": "0.00", "currency": "USD"},
    });
    assert_eq!(show(NodeKind::WireUs, &details, None)["info"], bank);

    details.class = Some("CHECKING".to_owned());
    details.account_type = Some("PERSONAL".to_owned());
    let mut ach = bank;
    ach["class"] = json!("CHECKING");
    ach["type"] = json!("PERSONAL");
    ach["match_info"] =
        json!({"email_match": "not_found", "name_match": "not_found", "phonenumber_match": "not_found"});
    assert_eq!(show(NodeKind::AchUs, &details, None)["info"], ach);
}

#[test]
fn linked_account_shows_the_banks_data() {
    let linked = LinkedDetails {
        bank_long_name: "Bank of Banks".to_owned(),
        balance: Money::new(80_000, Currency::USD),
        match_info: MatchInfo { name: Match::NoMatch, email: Match::Match, phone: Match::NotFound },
    };
    let mut details = NodeDetails {
        account_num: Some("8000005001".to_owned()),
        routing_num: Some("123456780".to_owned()),
        class: Some("SAVINGS".to_owned()),
        account_type: Some("BUSINESS".to_owned()),
        bank_name: Some("Bank".to_owned()),
        address: Some("1 Main St".to_owned()),
        name_on_account: Some("Ada King".to_owned()),
        linked: Some(linked),
        ..details()
    };
    let expected = json!({
        "nickname": "Mine", "name_on_account": "Ada King", "account_num": "5001", "routing_num": "6780",
        "address": "1 Main St", "bank_name": "Bank", "bank_long_name": "Bank of Banks", "class": "SAVINGS",
        "type": "BUSINESS", "balance": {"amount": "800.00", "currency": "USD"},
        "match_info": {"email_match": "match", "name_match": "no_match", "phonenumber_match": "not_found"},
    });
    assert_eq!(show(NodeKind::AchUs, &details, None)["info"], expected);
    // A bank that does not report the holder does not contradict the owner.
    details.name_on_account = None;
    assert_eq!(show(NodeKind::AchUs, &details, None)["info"]["name_on_account"], "Ada");
}

#[test]
fn foreign_wire_has_the_wire_shape() {
    let text = |text: &str| Some(text.to_owned());
    let details = NodeDetails {
        account_num: text("DE89370400440532013000"),
        swift: text("DEUTDEFF"),
        bank_name: text("Deutsche Bank"),
        address: text("Taunusanlage 12, Frankfurt"),
        name_on_account: text("Bob"),
        ..details()
    };
    let expected = json!({
        "nickname": "Mine", "name_on_account": "Bob", "account_num": "3000", "routing_num": "",
        "address": "Taunusanlage 12, Frankfurt", "bank_name": "Deutsche Bank", "bank_long_name": "",
        "balance": {"amount": "0.00", "currency": "USD"},
    });
    assert_eq!(show(NodeKind::WireInt, &details, None)["info"], expected);
}

#[test]
fn every_type_has_its_name() {
    let deprecated: Vec<_> = NodeKind::ALL.into_iter().filter(|kind| kind.is_deprecated()).collect();
    assert_eq!(deprecated, [NodeKind::LedgerUs, NodeKind::PartnerSubaccountUs]);
    for kind in NodeKind::ALL {
        assert_eq!(show(kind, &details(), None)["type"], kind.as_str());
    }
}

#[test]
fn check_node_shows_its_payee() {
    let address = PayeeAddress { address_city: "SF".to_owned(), ..PayeeAddress::default() };
    let details =
        NodeDetails { payee_name: Some("Bob".to_owned()), payee_address: Some(address), ..details() };
    let expected = json!({
        "nickname": "Mine", "name_on_account": "Ada", "payee_name": "Bob",
        "payee_address": {
            "address_city": "SF", "address_country_code": "", "address_postal_code": "", "address_street": "",
            "address_subdivision": "",
        },
    });
    assert_eq!(show(NodeKind::CheckUs, &details, None)["info"], expected);
}

#[test]
fn erased_person_leaves_no_names() {
    for kind in NodeKind::ALL {
        let shown = show(kind, &NodeDetails::default(), None);
        assert_eq!(shown["info"]["nickname"], "", "{kind:?}");
    }
    assert_eq!(show(NodeKind::AchUs, &NodeDetails::default(), None)["info"]["account_num"], "");
}

#[test]
fn short_numbers_stay_whole() {
    assert_eq!(last_four(Some("12345")), "2345");
    assert_eq!(last_four(Some("12")), "12");
    assert_eq!(last_four(None), "");
}
