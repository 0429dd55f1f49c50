use serde_json::{Value, json};

use super::*;
use crate::body::Body;

fn parse(json: &str) -> Result<NewTransaction, ApiError> {
    Body::from(actix_web::web::Bytes::from(json.to_owned())).json::<CreateTransaction>()?.parse()
}

fn body() -> Value {
    json!({
        "to": {"type": "DEPOSIT-US", "id": "00000000000000000000000002"},
        "amount": {"amount": 100, "currency": "USD"},
        "extra": {"ip": "127.0.0.1", "supp_id": "s", "note": "n", "process_on": 1},
        "fees": [{"fee": 1, "note": "why", "to": {"id": "00000000000000000000000003"}}],
    })
}

fn with(pointer: &str, value: Value) -> String {
    let mut body = body();
    *body.pointer_mut(pointer).unwrap() = value;
    body.to_string()
}

#[test]
fn a_transaction_has_typed_parts() {
    let new = parse(&body().to_string()).ok().unwrap();
    assert_eq!((new.to, new.to_kind), (NodeId::from_u128(2), NodeKind::DepositUs));
    assert_eq!(new.amount, Money::new(10_000, Currency::USD));
    assert_eq!(new.fees, [Fee { minor: 100, to: NodeId::from_u128(3) }]);
    assert_eq!(new.in_days, 1);
    assert_eq!(new.details.ip.as_deref(), Some("127.0.0.1"));
    assert_eq!(new.details.fee_notes, [Some("why".to_owned())]);
}

#[test]
fn attachments_must_be_padded_base64() {
    let with_attachments =
        |attachments: Value| with("/extra", json!({"ip": "::1", "other": {"attachments": attachments}}));
    let new = parse(&with_attachments(json!(["SGk=", "data:image/png;base64,AAAA"]))).ok().unwrap();
    let attachments: Vec<_> = new.attachments.iter().map(|file| (&*file.media_type, &*file.base64)).collect();
    assert_eq!(attachments, [("", "SGk="), ("image/png", "AAAA")]);
    for none in [json!(null), json!([])] {
        assert_eq!(parse(&with_attachments(none)).ok().unwrap().attachments.len(), 0);
    }
    let refused = |attachments: Value| parse(&with_attachments(attachments)).err().unwrap().to_string();
    assert_eq!(refused(json!(["SGk=", "SGk"])), "extra.other.attachments[1] must be padded base64.");
    assert_eq!(refused(json!(vec!["SGk="; 11])), "extra.other.attachments must have at most 10 entries.");
    assert_eq!(refused(json!("SGk=")), "extra.other.attachments must be an array.");
}

#[test]
fn amounts_and_fees_are_read_exactly() {
    let json = body().to_string().replace(r#""amount":100"#, r#""amount":0.29"#);
    let json = json.replace(r#""fee":1"#, r#""fee":0.07"#);
    let new = parse(&json).ok().unwrap();
    assert_eq!((new.amount.minor, new.fees[0].minor), (29, 7));
}

#[test]
fn optional_fields_may_be_null() {
    for pointer in ["/extra/supp_id", "/extra/note", "/extra/process_on", "/fees", "/fees/0/note"] {
        assert!(parse(&with(pointer, Value::Null)).is_ok(), "{pointer}");
    }
    let new = parse(&with("/extra", json!({"ip": "::1"}))).ok().unwrap();
    assert_eq!((new.in_days, new.details.note), (0, None));
}

#[test]
fn single_fee_needs_no_list() {
    let fee = json!({"fee": 2.5, "to": {"id": "00000000000000000000000003"}});
    let new = parse(&with("/fees", fee)).ok().unwrap();
    assert_eq!(new.fees, [Fee { minor: 250, to: NodeId::from_u128(3) }]);
    assert_eq!(new.details.fee_notes, [None]);
}

#[test]
fn text_without_id_form_names_no_object() {
    let long = "0".repeat(27);
    for text in ["1", "None", "0000000000000000000000000U", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", &long] {
        for pointer in ["/to/id", "/fees/0/to/id"] {
            assert_eq!(
                parse(&with(pointer, json!(text))).err(),
                Some(ApiError::nothing_at(if pointer == "/to/id" { "to.id" } else { "fees[0].to.id" })),
                "{pointer} {text}"
            );
        }
    }
}

#[test]
fn invalid_field_is_named() {
    let days = "must be a whole number from 0 to 3650";
    let table = [
        ("/to", json!(null), "to", "must be an object"),
        ("/to", json!({}), "to.type", "is required"),
        ("/to", json!({"type": "DEPOSIT-US"}), "to.id", "is required"),
        ("/to/type", json!("WIRE"), "to.type", "must be a type of nodes"),
        ("/to/id", json!(5), "to.id", "must be a string"),
        ("/to/id", json!(""), "to.id", "is required"),
        ("/amount", json!({"currency": "USD"}), "amount.amount", "is required"),
        ("/amount/amount", json!("100"), "amount.amount", "must be a number"),
        ("/amount/currency", json!("EURO"), "amount.currency", "must be an ISO 4217 code"),
        ("/amount/currency", json!(5), "amount.currency", "must be a string"),
        ("/extra", json!(null), "extra.ip", "is required"),
        ("/extra/ip", json!(null), "extra.ip", "is required"),
        ("/extra/ip", json!("localhost"), "extra.ip", "must be an IP address of version 4 or 6"),
        ("/extra/note", json!("é".repeat(81)), "extra.note", "must be at most 80 characters"),
        ("/extra/note", json!("a".repeat(1_001)), "extra.note", "must be at most 1,000 characters"),
        ("/extra/supp_id", json!("\0"), "extra.supp_id", "must not contain NUL"),
        ("/extra/process_on", json!(-1), "extra.process_on", days),
        ("/extra/process_on", json!(3_651), "extra.process_on", days),
        ("/extra/process_on", json!(i64::MAX), "extra.process_on", days),
        ("/extra/process_on", json!(u64::MAX), "extra.process_on", days),
        ("/extra/process_on", json!(1.5), "extra.process_on", days),
        ("/extra/process_on", json!("1"), "extra.process_on", days),
        ("/fees", json!("x"), "fees", "must be an array"),
        ("/fees/0/fee", json!("1"), "fees[0].fee", "must be a number"),
        ("/fees/0/fee", json!(0), "fees[0].fee", "must be greater than zero"),
        ("/fees/0/fee", json!(0.001), "fees[0].fee", "has more decimals than the currency has"),
        ("/fees/0", json!({"fee": 1}), "fees[0].to", "is required"),
        ("/fees/0/to", json!({}), "fees[0].to.id", "is required"),
        ("/fees", json!(vec![body()["fees"][0].clone(); 101]), "fees", "must have at most 100 entries"),
    ];
    for (pointer, value, field, text) in table {
        let refused = parse(&with(pointer, value.clone())).err();
        assert_eq!(refused, Some(ApiError::invalid(field, text)), "{pointer} {value}");
    }
    assert!(parse(&with("/extra/note", json!("é".repeat(80)))).is_ok());
    let digits = body().to_string().replace("100", &"9".repeat(400));
    let large = ApiError::invalid("amount.amount", "must be at most 10^12 minor units");
    assert_eq!(parse(&digits).err(), Some(large));
}
