use serde_json::{Value, json};

use super::*;
use crate::body::Body;

fn parse(json: &Value) -> Result<NewNode, ApiError> {
    match CreateNode::read(&Body::from(actix_web::web::Bytes::from(json.to_string())))? {
        NewNodes::One(node) => Ok(*node),
        NewNodes::OfBank(_) => panic!("{json} asks a bank"),
    }
}

fn ach() -> Value {
    json!({
        "type": "ACH-US",
        "info": {
            "nickname": "Mine", "account_num": "1234567890", "routing_num": "051000017", "type": "PERSONAL",
            "class": "CHECKING",
        },
    })
}

fn wire() -> Value {
    json!({
        "type": "WIRE-US",
        "info": {"nickname": "Mine", "account_num": "1234567890", "routing_num": "026009593"},
    })
}

fn wire_abroad() -> Value {
    json!({
        "type": "WIRE-INT",
        "info": {
            "nickname": "Mine", "account_num": "DE89370400440532013000", "swift": "DEUTDEFF", "bank_name": "Bank",
            "address": "Frankfurt",
        },
    })
}

fn check() -> Value {
    json!({
        "type": "CHECK-US",
        "info": {
            "nickname": "Mine", "payee_name": "Ada",
            "payee_address": {
                "address_street": "1 Main St", "address_city": "SF", "address_subdivision": "CA",
                "address_country_code": "US", "address_postal_code": "94105",
            },
        },
    })
}

fn set(mut body: Value, pointer: &str, value: Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    body.pointer_mut(parent).unwrap()[name] = value;
    body
}

#[test]
fn every_known_type_can_be_created() {
    let held = |kind: &str| json!({"type": kind, "info": {"nickname": "Mine"}});
    let bodies = [
        ach(),
        wire(),
        wire_abroad(),
        check(),
        held("DEPOSIT-US"),
        held("SUBACCOUNT-US"),
        held("RESERVE-US"),
        held("CLEARING-US"),
        held("LEDGER-US"),
        held("PARTNER-SUBACCOUNT-US"),
    ];
    assert_eq!(bodies.len(), NodeKind::ALL.len());
    for (body, kind) in bodies.iter().zip([
        NodeKind::AchUs,
        NodeKind::WireUs,
        NodeKind::WireInt,
        NodeKind::CheckUs,
        NodeKind::DepositUs,
        NodeKind::SubaccountUs,
        NodeKind::ReserveUs,
        NodeKind::ClearingUs,
        NodeKind::LedgerUs,
        NodeKind::PartnerSubaccountUs,
    ]) {
        let node = parse(body).ok().unwrap();
        assert_eq!(node.kind, kind);
        assert_eq!(node.details.nickname, "Mine");
        assert!(node.is_active && !node.gateway_restricted);
    }
}

#[test]
fn account_numbers_have_letters_and_hyphens() {
    for number in ["1234", "12345678901234567", "AB-12c-9X", "A1B2"] {
        for body in [ach(), wire()] {
            let node = parse(&set(body, "/info/account_num", json!(number))).ok().unwrap();
            assert_eq!(node.details.account_num.as_deref(), Some(number));
        }
    }
}

#[test]
fn given_details_are_kept() {
    let node = parse(&ach()).ok().unwrap().details;
    assert_eq!(node.account_num.as_deref(), Some("1234567890"));
    assert_eq!(node.routing_num.as_deref(), Some("051000017"));
    assert_eq!((node.class.as_deref(), node.account_type.as_deref()), (Some("CHECKING"), Some("PERSONAL")));

    let bank = json!({"routing_num": "026009593", "bank_name": "B", "address": null});
    let node = parse(&set(wire(), "/info/correspondent_info", bank)).ok().unwrap().details;
    let bank = node.correspondent.unwrap();
    assert_eq!((bank.bank_name.as_deref(), bank.address), (Some("B"), None));

    let node = parse(&check()).ok().unwrap().details;
    assert_eq!(node.payee_address.unwrap().address_postal_code, "94105");

    let extra = json!({"supp_id": "s", "note": "n", "gateway_restricted": true});
    let node = parse(&set(set(ach(), "/extra", extra), "/is_active", json!(false))).ok().unwrap();
    assert!(!node.is_active && node.gateway_restricted);
    assert_eq!((node.details.supp_id.as_deref(), node.details.note.as_deref()), (Some("s"), Some("n")));
}

#[test]
fn missing_field_is_named() {
    let table = [
        (ach(), "/type"),
        (ach(), "/info/nickname"),
        (ach(), "/info/account_num"),
        (ach(), "/info/routing_num"),
        (ach(), "/info/type"),
        (ach(), "/info/class"),
        (wire(), "/info/nickname"),
        (wire(), "/info/account_num"),
        (wire(), "/info/routing_num"),
        (wire_abroad(), "/info/nickname"),
        (wire_abroad(), "/info/account_num"),
        (wire_abroad(), "/info/swift"),
        (wire_abroad(), "/info/bank_name"),
        (wire_abroad(), "/info/address"),
        (check(), "/info/payee_name"),
        (check(), "/info/payee_address/address_street"),
        (check(), "/info/payee_address/address_city"),
        (check(), "/info/payee_address/address_subdivision"),
        (check(), "/info/payee_address/address_country_code"),
        (check(), "/info/payee_address/address_postal_code"),
    ];
    for (body, pointer) in table {
        let field = pointer.trim_start_matches('/').replace('/', ".");
        let refused = parse(&set(body, pointer, Value::Null)).err();
        assert_eq!(refused, Some(ApiError::missing(field)), "{pointer}");
    }
    assert_eq!(parse(&json!({"type": "DEPOSIT-US"})).err(), Some(ApiError::missing("info.nickname")));
    let blank = set(ach(), "/info/nickname", json!("  "));
    assert_eq!(parse(&blank).err(), Some(ApiError::missing("info.nickname")));
}

#[test]
fn invalid_field_is_named() {
    let invalid = |field: &'static str, text: &'static str| ApiError::invalid(field, text);
    let account = || {
        let text = "must be 4 to 17 letters, digits and hyphens, without a hyphen at either end";
        invalid("info.account_num", text)
    };
    let routing = || invalid("info.routing_num", "must be 9 digits");
    let swift = |field| invalid(field, "must be a SWIFT code of 8 or 11 characters");
    let code = "must be at most 34 letters and digits";
    let correspondent = json!({"swift": "DEUTDEF"});
    let class = "must be CHECKING, SAVINGS, GENERAL_LEDGER or LOAN";
    let table = [
        (ach(), "/type", json!("DEPOSIT"), invalid("type", "must be a type of nodes")),
        (ach(), "/type", json!(5), invalid("type", "must be a string")),
        (ach(), "/info/account_num", json!("123"), account()),
        (ach(), "/info/account_num", json!("123456789012345678"), account()),
        (wire(), "/info/account_num", json!("12 34"), account()),
        (ach(), "/info/account_num", json!("١٢٣٤"), account()),
        (ach(), "/info/account_num", json!("-1234"), account()),
        (ach(), "/info/account_num", json!("1234-"), account()),
        (wire(), "/info/account_num", json!("12_34"), account()),
        (ach(), "/info/account_num", json!(1234), invalid("info.account_num", "must be a string")),
        (ach(), "/info/routing_num", json!("05100001"), routing()),
        (wire(), "/info/routing_num", json!("05100001x"), routing()),
        (wire_abroad(), "/info/swift", json!("DEUTDEF"), swift("info.swift")),
        (wire_abroad(), "/info/swift", json!("DEUT1EFF"), swift("info.swift")),
        (wire_abroad(), "/info/correspondent_info", correspondent, swift("info.correspondent_info.swift")),
        (
            wire_abroad(),
            "/info/account_num",
            json!("1/2"),
            invalid("info.account_num", "must be 1 to 34 letters and digits"),
        ),
        (wire_abroad(), "/info/routing_num", json!("1*2"), invalid("info.routing_num", code)),
        (ach(), "/info/class", json!("checking"), invalid("info.class", class)),
        (ach(), "/info/type", json!("OTHER"), invalid("info.type", "must be PERSONAL or BUSINESS")),
        (ach(), "/info/type", json!(7), invalid("info.type", "must be a string")),
        (ach(), "/info/nickname", json!("a\0"), invalid("info.nickname", "must not contain NUL")),
        (ach(), "/is_active", json!("YES"), invalid("is_active", "must be a boolean")),
    ];
    for (body, pointer, value, expected) in table {
        assert_eq!(parse(&set(body, pointer, value.clone())).err(), Some(expected), "{pointer} {value}");
    }
}

#[test]
fn routing_number_checksum_is_verified() {
    for number in ["051000017", "026009593", "122105155", "021000021"] {
        assert!(parse(&set(ach(), "/info/routing_num", json!(number))).is_ok(), "{number}");
    }
    let between = |number: &str| json!({"routing_num": number});
    assert!(parse(&set(wire(), "/info/correspondent_info", between("026009593"))).is_ok());
    for number in ["051000018", "123456789", "000000000"] {
        let bodies = [
            set(ach(), "/info/routing_num", json!(number)),
            set(wire(), "/info/routing_num", json!(number)),
            set(wire(), "/info/correspondent_info", between(number)),
        ];
        for body in bodies {
            let refused = parse(&body).err();
            assert!(matches!(refused, Some(ApiError::Conflict("routing_number", _))), "{body}");
        }
    }
    let field = "info.correspondent_info.routing_num";
    let wrong = parse(&set(wire(), "/info/correspondent_info", between("02600959x"))).err();
    assert_eq!(wrong, Some(ApiError::invalid(field, "must be 9 digits")));
    let wrong = parse(&set(wire_abroad(), "/info/correspondent_info", between("1*2"))).err();
    assert_eq!(wrong, Some(ApiError::invalid(field, "must be at most 34 letters and digits")));
}

#[test]
fn foreign_account_with_country_prefix_is_iban() {
    let account = |number: &str| {
        let node = parse(&set(wire_abroad(), "/info/account_num", json!(number)));
        node.map(|node| node.details.account_num.unwrap_or_default())
    };
    let good = [
        ("DE89 3704 0044 0532 0130 00", "DE89370400440532013000"),
        ("gb29nwbk60161331926819", "GB29NWBK60161331926819"),
        ("002010077777777771", "002010077777777771"),
        ("0x1", "0X1"),
    ];
    for (number, kept) in good {
        assert_eq!(account(number).as_deref(), Ok(kept));
    }
    for number in ["DE89370400440532013001", "DE8937040044053201300", "AB1"] {
        assert!(matches!(account(number), Err(ApiError::Conflict("iban", _))), "{number}");
    }
    for number in ["1*", "Ä1", "DE89-3704", &"1".repeat(35)] {
        assert!(matches!(account(number), Err(ApiError::Invalid { .. })), "{number}");
    }
}

#[test]
fn optional_fields_of_foreign_bank_are_kept() {
    let node = parse(&wire_abroad()).ok().unwrap().details;
    assert!(node.correspondent.is_none() && node.routing_num.is_none() && node.name_on_account.is_none());
    let bank = json!({"swift": "midlgb22", "routing_num": null, "bank_name": "B", "address": ""});
    let body = set(wire_abroad(), "/info/correspondent_info", bank);
    let body = set(set(body, "/info/routing_num", json!("12-34 56")), "/info/name_on_account", json!("Bob"));
    let node = parse(&body).ok().unwrap().details;
    let bank = node.correspondent.unwrap();
    assert_eq!((bank.swift.as_deref(), bank.routing_num, bank.address), (Some("MIDLGB22"), None, None));
    assert_eq!(
        (node.routing_num.as_deref(), node.name_on_account.as_deref()),
        (Some("12-34 56"), Some("Bob"))
    );
}

#[test]
fn account_may_have_another_holder_name() {
    for body in [ach(), wire(), wire_abroad()] {
        let node = parse(&set(body, "/info/name_on_account", json!("Bob"))).ok().unwrap();
        assert_eq!(node.details.name_on_account.as_deref(), Some("Bob"));
    }
}

#[test]
fn bank_login_requires_ach_type() {
    let login = json!({"nickname": "Mine", "bank_id": "a", "bank_pw": "b", "bank_name": "fake"});
    let node = parse(&json!({"type": "DEPOSIT-US", "info": login})).ok().unwrap();
    assert_eq!(node.kind, NodeKind::DepositUs);
    // Without a login the type takes numbers; the bank's name decides neither.
    let refused = parse(&set(set(ach(), "/info/bank_name", json!("fake")), "/info/account_num", Value::Null));
    assert_eq!(refused.err(), Some(ApiError::missing("info.account_num")));
}
