//! Valid bodies of requests, for tests to send or to modify.
#![allow(clippy::expect_used, reason = "a body that is no JSON fails the test")]

use serde_json::{Value, json};

/// A routing number with a valid checksum.
pub const ROUTING_NUMBER: &str = "021000021";

/// Returns a user that the sandbox will verify to SEND-AND-RECEIVE.
#[must_use]
pub fn person(name: &str) -> Value {
    person_with(name, &json!([{"document_type": "SSN", "document_value": "2222"}]))
}

/// Returns a user with these virtual documents.
#[must_use]
pub fn person_with(name: &str, virtual_docs: &Value) -> Value {
    let email = format!("{}@example.com", name.replace(' ', "."));
    json!({
        "logins": [{"email": email}],
        "phone_numbers": ["901.111.1111"],
        "legal_names": [name],
        "documents": [{
            "email": email, "phone_number": "901.111.1111", "ip": "127.0.0.1", "name": name, "alias": "Test",
            "entity_type": "NOT_KNOWN", "entity_scope": "Arts & Entertainment", "day": 2, "month": 5, "year": 1989,
            "address_street": "1 Market St.", "address_city": "SF", "address_subdivision": "CA",
            "address_postal_code": "94105", "address_country_code": "US", "virtual_docs": virtual_docs,
        }],
    })
}

/// Returns a node of any type, with its required fields only.
#[must_use]
pub fn node(kind: &str) -> Value {
    let info = match kind {
        "ACH-US" => json!({
            "nickname": "Bank", "account_num": "1232225674134", "routing_num": ROUTING_NUMBER, "type": "PERSONAL",
            "class": "CHECKING",
        }),
        "WIRE-US" => {
            json!({"nickname": "Wire", "account_num": "1232225674134", "routing_num": ROUTING_NUMBER})
        }
        "WIRE-INT" => json!({
            "nickname": "Abroad", "account_num": "DE89370400440532013000", "swift": "DEUTDEFF",
            "bank_name": "Deutsche Bank", "address": "Taunusanlage 12, Frankfurt",
        }),
        "CHECK-US" => json!({
            "nickname": "Check", "payee_name": "Test McTest",
            "payee_address": {
                "address_street": "1 Market St.", "address_city": "San Francisco", "address_subdivision": "CA",
                "address_country_code": "US", "address_postal_code": "94105",
            },
        }),
        _ => json!({"nickname": format!("My {kind}")}),
    };
    json!({"type": kind, "info": info})
}

/// Returns a transaction to a DEPOSIT-US node; `amount` is a JSON number.
#[must_use]
pub fn transfer(to: &str, amount: &str) -> Value {
    transfer_to("DEPOSIT-US", to, amount)
}

/// Returns a transaction to a node of this type; `amount` is a JSON number.
///
/// # Panics
///
/// Panics if `amount` is not a JSON number.
#[must_use]
pub fn transfer_to(kind: &str, to: &str, amount: &str) -> Value {
    let amount: Value = serde_json::from_str(amount).expect("a number");
    json!({
        "to": {"type": kind, "id": to},
        "amount": {"amount": amount, "currency": "USD"},
        "extra": {"ip": "127.0.0.1"},
    })
}
