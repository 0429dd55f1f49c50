//! Refusals: an invalid party, fee, amount or field is named, and nothing is recorded.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::transfer;
use serde_json::{Value, json};

use super::own;

#[tokio::test]
async fn invalid_sender_or_receiver_is_refused() {
    let app = TestApp::start().await;
    let (us, ada) = (own(&app).await, app.client.stranger("Ada").await);
    let other = app.platform("Other", true).await.own_session().await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let (adas, foreign) = (ada.node("DEPOSIT-US").await, other.node("DEPOSIT-US").await);
    let send = async |from: &str, to: &str| us.transfer(from, &transfer(to, "1")).send().await;
    send(&from, "00000000000000000000000000").await.refused(404, "404");
    send(&from, &foreign).await.refused(404, "404");
    send(&from, &us.user_id).await.refused(404, "404");
    send(&adas, &to).await.refused(404, "404");
    send(&foreign, &to).await.refused(404, "404");
    send("00000000000000000000000000", &to).await.refused(404, "404");
    assert_eq!(send(&from, &from).await.refused(400, "200")["field"], "to.id");
    for kind in ["LEDGER-US", "ACH-US", "NONE"] {
        let mut body = transfer(&to, "1");
        body["to"]["type"] = json!(kind);
        assert_eq!(us.transfer(&from, &body).send().await.refused(400, "200")["field"], "to.type", "{kind}");
    }
    assert_eq!(us.balance(&from).await, "10.00");
}

#[tokio::test]
async fn invalid_fee_is_refused() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let other = app.platform("Other", true).await.own_session().await;
    let (from, to, ledger) = (us.funded("10").await, us.node("DEPOSIT-US").await, us.node("LEDGER-US").await);
    let foreign = other.node("LEDGER-US").await;
    let send = async |fees: &str| {
        let text = transfer(&to, "1").to_string();
        let text = format!("{}, \"fees\": {fees}}}", text.strip_suffix('}').expect("an object"));
        us.call("POST", &format!("/nodes/{from}/trans")).body(text).send().await
    };
    let fee = |fee: &str, to: &str| format!(r#"[{{"fee": {fee}, "note": "n", "to": {{"id": "{to}"}}}}]"#);
    for amount in ["0", "-0.01", "0.001", "1.01", "null", "\"1\"", "1e400"] {
        let error = send(&fee(amount, &ledger)).await.refused(400, "200");
        assert!(error["field"].as_str().is_some_and(|field| field.starts_with("fees")), "{amount}: {error}");
    }
    let both = format!(
        r#"[{{"fee": 0.5, "to": {{"id": "{ledger}"}}}}, {{"fee": 0.51, "to": {{"id": "{ledger}"}}}}]"#
    );
    send(&both).await.refused(400, "200");
    send(&fee("0.1", &to)).await.refused(400, "200");
    for unknown in ["00000000000000000000000000", &foreign] {
        send(&fee("0.1", unknown)).await.refused(404, "404");
    }
    for wrong in ["7", "[7]", r#"[{"fee": 0.1}]"#, r#"[{"fee": 0.1, "to": {}}]"#] {
        send(wrong).await.refused(400, "200");
    }
    for none in ["null", "[]"] {
        let _ = send(none).await.ok();
    }
    // The fee may be the whole amount.
    let id = send(&fee("1.00", &ledger)).await.ok()["_id"].as_str().expect("an id").to_owned();
    us.when(&from, &id, "SETTLED").await;
    assert_eq!(us.balance(&ledger).await, "1.00");
}

#[tokio::test]
async fn amounts_are_read_as_decimal_text() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("1").await, us.node("DEPOSIT-US").await);
    let send = async |amount: &str| {
        let text = transfer(&to, "7777").to_string().replace("7777", amount);
        us.call("POST", &format!("/nodes/{from}/trans")).body(text).send().await
    };
    let good = [
        ("1", "1.00"),
        ("1.1", "1.10"),
        ("0.29", "0.29"),
        ("0.01", "0.01"),
        ("1.10000", "1.10"),
        ("1e2", "100.00"),
        ("1.5E+1", "15.00"),
        ("500e-2", "5.00"),
        ("9007199254.01", "9007199254.01"),
        ("10000000000", "10000000000.00"),
        ("9999999999.99", "9999999999.99"),
    ];
    for (amount, shown) in good {
        let answer = send(amount).await;
        let _ = answer.ok();
        assert_eq!(answer.raw("amount.amount"), shown, "{amount}");
    }
    let digits = "9".repeat(400);
    let small = format!("0.{}1", "0".repeat(400));
    let bad = [
        "0",
        "0.00",
        "-1",
        "-0.01",
        "0.001",
        "1.005",
        "10000000000.01",
        "1e11",
        "1e400",
        "1e-400",
        "1e99999999999",
        "-1e400",
        &digits,
        &small,
        "\"1\"",
        "\"\"",
        "null",
        "true",
        "[]",
        "[1]",
        "{}",
    ];
    for amount in bad {
        assert_eq!(send(amount).await.refused(400, "200")["field"], "amount.amount", "{amount}");
    }
    for amount in ["NaN", "Infinity", "1.", ".1", "+1", "01", "0x1", "1_000", "1,5", ""] {
        send(amount).await.refused(400, "200");
    }
}

#[tokio::test]
async fn missing_or_invalid_field_is_named() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("1").await, us.node("DEPOSIT-US").await);
    for path in ["/to", "/to/type", "/to/id", "/amount", "/amount/amount", "/amount/currency", "/extra/ip"] {
        let (parent, field) = path.rsplit_once('/').expect("a path");
        for null in [false, true] {
            let mut body = transfer(&to, "1");
            let object = body.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object");
            if null {
                object.insert(field.to_owned(), json!(null))
            } else {
                object.remove(field)
            };
            let error = us.transfer(&from, &body).send().await.refused(400, "200");
            let named = error["field"].as_str().expect("a field");
            assert_eq!(named, path[1..].replace('/', "."), "null: {null}, {error}");
        }
    }
    let table = [
        ("/amount/currency", json!("EUR"), "amount.currency"),
        ("/amount/currency", json!("usd"), "amount.currency"),
        ("/amount/currency", json!("XXXX"), "amount.currency"),
        ("/extra/note", json!("x".repeat(81)), "extra.note"),
        ("/extra/process_on", json!(-1), "extra.process_on"),
        ("/extra/process_on", json!(1.5), "extra.process_on"),
        ("/extra/process_on", json!("1"), "extra.process_on"),
        ("/extra/process_on", json!(i64::MAX), "extra.process_on"),
        ("/extra/process_on", json!(106_751_991_168_i64), "extra.process_on"),
        ("/extra/ip", json!(7), "extra.ip"),
    ];
    for (path, value, field) in table {
        let mut body = transfer(&to, "1");
        let (parent, name) = path.rsplit_once('/').expect("a path");
        body.pointer_mut(parent).expect("an object")[name] = value.clone();
        let error = us.transfer(&from, &body).send().await.refused(400, "200");
        assert_eq!(error["field"], field, "{value}: {error}");
    }
    let mut body = transfer(&to, "1");
    body["extra"]["note"] = json!("é".repeat(80));
    let made = us.transfer(&from, &body).send().await.ok();
    assert_eq!(made["extra"]["note"], "é".repeat(80));
    assert_eq!(made["extra"]["supp_id"], "");
}
