//! Fields that a caller may not set are ignored: the answer is the same as without them.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::{node, person, transfer};
use serde_json::{Value, json};

/// Returns values that a caller may not set, with the given permission.
fn wishes(permission: &str) -> Value {
    json!({
        "_id": "01M7YHYBJK09WD1DJ3WFPJZA81", "id": "01M7YHYBJK09WD1DJ3WFPJZA81", "permission": permission,
        "client": {"id": "client_id_other", "name": "Other"}, "client_id": "client_id_other", "platform": "other",
        "user_id": "01M7YHYBJK09WD1DJ3WFPJZA81", "is_admin": true, "is_hidden": true, "is_locked": false,
        "allowed": "CREDIT-AND-DEBIT", "is_active": true, "balance": {"amount": 1e6, "currency": "USD"},
        "status": "SETTLED", "recent_status": {"status": "SETTLED", "status_id": "4"}, "timeline": [],
        "from": {"type": "DEPOSIT-US", "id": "01M7YHYBJK09WD1DJ3WFPJZA81"}, "is_micro_deposit": true,
        "refresh_token": "refresh_mine", "documents_verified": true, "micro_deposits": [1, 1], "hold": 0,
    })
}

/// Adds the forbidden fields that `body` does not have, at its top level and in each object of these names.
fn with_wishes(mut body: Value, inner: &[&str]) -> Value {
    let wishes = wishes("SEND-AND-RECEIVE");
    let add = |to: &mut Value| {
        let (Some(to), Some(wishes)) = (to.as_object_mut(), wishes.as_object()) else { return };
        for (name, wish) in wishes {
            to.entry(name.as_str()).or_insert_with(|| wish.clone());
        }
    };
    for name in inner {
        add(&mut body[*name]);
    }
    add(&mut body);
    body
}

/// Returns an answer without the fields that differ between calls.
fn plain(mut answer: Value) -> Value {
    fn strip(value: &mut Value) {
        let own = [
            "_id",
            "process_on",
            "id",
            "_links",
            "date",
            "last_updated",
            "refresh_token",
            "date_joined",
            "created_on",
            "updated_on",
        ];
        match value {
            Value::Object(fields) => {
                fields.retain(|name, _| !own.contains(&name.as_str()));
                fields.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    strip(&mut answer);
    answer
}

#[tokio::test]
async fn forbidden_fields_change_nothing() {
    let app = TestApp::start().await;
    let body = person("Ada Example");
    let made = app.client.create_user(&body).await.ok();
    let wished = app.client.create_user(&with_wishes(body, &["extra"])).await.ok();
    assert_eq!(plain(wished.clone()), plain(made));
    assert_ne!(wished["_id"], "01M7YHYBJK09WD1DJ3WFPJZA81");

    let user = app.client.verified("Bea Example").await;
    for kind in ["DEPOSIT-US", "ACH-US", "WIRE-US"] {
        let made = user.create_node(&node(kind)).await.ok();
        let wished = user.create_node(&with_wishes(node(kind), &["info", "extra"])).await.ok();
        assert_eq!(plain(wished), plain(made), "{kind}");
    }
    let (from, to) = (user.funded("10").await, user.node("DEPOSIT-US").await);
    let made = user.transfer(&from, &transfer(&to, "1")).send().await.ok();
    let body = with_wishes(transfer(&to, "1"), &["extra", "amount", "to"]);
    let wished = user.transfer(&from, &body).send().await.ok();
    assert_eq!(
        (&wished["from"]["id"], &wished["recent_status"]["status"]),
        (&json!(from), &made["recent_status"]["status"])
    );
    assert_eq!(plain(wished), plain(made));
    user.when(&from, user.sent(&from, &to, "1").await.as_str(), "SETTLED").await;
    assert_eq!(user.balance(&from).await, "7.00");
}
