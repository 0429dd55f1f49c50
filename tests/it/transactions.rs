//! Transactions: created at once, settled in steps, exact to the cent, and once only.

use std::collections::HashSet;
use std::time::Duration;

use daybook_tests::app::TestApp;
use daybook_tests::bodies::transfer;
use daybook_tests::client::Session;
use futures::future::join_all;
use serde_json::{Value, json};

const DAY_MS: i64 = 86_400_000;

/// The platform's own user, who may send from the start.
async fn own(app: &TestApp) -> Session {
    app.client.own_session().await
}

/// The statuses of a timeline, in its order.
fn statuses(transaction: &Value) -> Vec<&str> {
    let entries = transaction["timeline"].as_array().expect("a list");
    entries.iter().map(|entry| entry["status"].as_str().expect("text")).collect()
}

async fn trans_count(session: &Session) -> i64 {
    session.call("GET", "/trans").send().await.ok()["trans_count"].as_i64().expect("a number")
}

#[tokio::test]
async fn the_answer_is_created_with_every_field_of_the_contract() {
    let app = TestApp::settling_after(Duration::from_mins(15)).await;
    let us = own(&app).await;
    let (from, to, ledger) =
        (us.funded("100").await, us.node("SUBACCOUNT-US").await, us.node("LEDGER-US").await);
    let body = json!({
        "to": {"type": "SUBACCOUNT-US", "id": to},
        "amount": {"amount": 20.1, "currency": "USD"},
        "extra": {"ip": "192.168.0.1", "supp_id": "s-1", "note": "Lunch", "process_on": null, "latlon": "1,2",
            "other": {"attachments": ["data:text/plain;base64,SUQs=="]}},
        "fees": [
            {"fee": 1.00, "note": "service", "to": {"id": ledger}},
            {"fee": 0.1, "to": {"id": ledger}},
        ],
    });
    let answer = us.transfer(&from, &body).send().await;
    for (path, text) in [("amount.amount", "20.10"), ("fees.0.fee", "1.00"), ("fees.1.fee", "0.10")] {
        assert_eq!(answer.raw(path), text);
    }
    let made = answer.ok();
    let (id, date) = (made["_id"].as_str().expect("an id"), made["timeline"][0]["date"].clone());
    let created_on = made["extra"]["created_on"].as_i64().expect("milliseconds");
    assert!(created_on > 1_600_000_000_000 && date == json!(created_on), "{made}");
    let created =
        json!({"date": date, "note": "Transaction Created.", "status": "CREATED", "status_id": "1"});
    let user = json!({"_id": us.user_id, "legal_names": ["Sandbox"]});
    let href = format!("http://{}/v3.1/users/{}/nodes/{from}/trans/{id}", app.address, us.user_id);
    let expected = json!({
        "_id": id,
        "_links": {"self": {"href": href}},
        "_v": 2,
        "amount": {"amount": 20.1, "currency": "USD"},
        "client": {"id": app.client.client_id, "name": "Sandbox"},
        "error_code": "0",
        "extra": {"created_on": created_on, "ip": "192.168.0.1", "latlon": "0,0", "note": "Lunch",
            "process_on": created_on, "supp_id": "s-1"},
        "fees": [
            {"fee": 1.0, "note": "service", "to": {"id": ledger}},
            {"fee": 0.1, "note": "", "to": {"id": ledger}},
        ],
        "from": {"id": from, "nickname": "My DEPOSIT-US", "type": "DEPOSIT-US", "user": user},
        "http_code": "200",
        "recent_status": created,
        "timeline": [created],
        "to": {"id": to, "nickname": "My SUBACCOUNT-US", "type": "SUBACCOUNT-US", "user": user},
    });
    assert_eq!(made, expected);
    assert_eq!(us.get_transaction(&from, id).await.ok(), made);
}

#[tokio::test]
async fn money_moves_in_steps_and_to_the_cent() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to, first, second) = (
        us.funded("100.00").await,
        us.node("DEPOSIT-US").await,
        us.node("LEDGER-US").await,
        us.node("LEDGER-US").await,
    );
    let mut body = transfer(&to, "12.34");
    body["fees"] =
        json!([{"fee": 0.29, "note": "a", "to": {"id": first}}, {"fee": 1.1, "to": {"id": second}}]);
    let made = us.transfer(&from, &body).send().await.ok();
    assert_eq!(statuses(&made), ["CREATED"]);
    let id = made["_id"].as_str().expect("an id");

    let settled = us.when(&from, id, "SETTLED").await.ok();
    assert_eq!(statuses(&settled), ["CREATED", "PROCESSING-DEBIT", "PROCESSING-CREDIT", "SETTLED"]);
    let entries = settled["timeline"].as_array().expect("a list");
    assert_eq!(settled["recent_status"], entries[3]);
    for (entry, status_id) in entries.iter().zip(["1", "2", "3", "4"]) {
        assert_eq!(entry["status_id"], status_id);
        assert!(entry["note"].is_string());
    }
    let dates: Vec<_> = entries.iter().map(|entry| entry["date"].as_i64().expect("milliseconds")).collect();
    assert!(dates.is_sorted(), "{dates:?}");
    for (node, balance) in [(&from, "87.66"), (&to, "10.95"), (&first, "0.29"), (&second, "1.10")] {
        assert_eq!(&us.balance(node).await, balance);
    }
}

#[tokio::test]
async fn ten_dimes_are_a_dollar() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("1").await, us.node("DEPOSIT-US").await);
    let ids = join_all((0..10).map(|_| us.sent(&from, &to, "0.10"))).await;
    for id in &ids {
        us.when(&from, id, "SETTLED").await;
    }
    assert_eq!((us.balance(&from).await, us.balance(&to).await), ("0.00".into(), "1.00".into()));
}

#[tokio::test]
async fn without_funds_it_is_created_and_then_canceled_with_the_numbers() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("5.00").await, us.node("DEPOSIT-US").await);
    let covered = us.sent(&from, &to, "3.00").await;
    let made = us.transfer(&from, &transfer(&to, "2.01")).send().await.ok();
    assert_eq!(statuses(&made), ["CREATED"]);
    let canceled = us.when(&from, made["_id"].as_str().expect("an id"), "CANCELED").await.ok();
    assert_eq!(statuses(&canceled), ["CREATED", "CANCELED"]);
    assert_eq!(canceled["recent_status"]["status_id"], "5");
    let note = canceled["recent_status"]["note"].as_str().expect("text").to_lowercase();
    // What the first one held it has taken by then.
    for number in ["insufficient", "needed 2.01", "available 2.00", "held 0.00"] {
        assert!(note.contains(number), "{number} is not in: {note}");
    }
    us.when(&from, &covered, "SETTLED").await;
    assert_eq!((us.balance(&from).await, us.balance(&to).await), ("2.00".into(), "3.00".into()));
}

#[tokio::test]
async fn racing_creators_never_take_more_than_there_is() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("10.00").await, us.node("DEPOSIT-US").await);
    let ids = join_all((0..24).map(|_| us.sent(&from, &to, "1.00"))).await;
    let ends = join_all(ids.iter().map(|id| {
        daybook_tests::client::until("it ends", async || {
            let found = us.get_transaction(&from, id).await.ok();
            let status = found["recent_status"]["status"].as_str().expect("text");
            ["SETTLED", "CANCELED"].contains(&status).then(|| status.to_owned())
        })
    }))
    .await;
    assert_eq!(ends.iter().filter(|status| *status == "SETTLED").count(), 10);
    assert_eq!((us.balance(&from).await, us.balance(&to).await), ("0.00".into(), "10.00".into()));
}

#[tokio::test]
async fn a_node_that_may_not_be_debited_sends_nothing() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (reserve, to) = (us.node("RESERVE-US").await, us.node("DEPOSIT-US").await);
    let _ = app.client.credit(&reserve, "5").await.ok();
    let made = us.transfer(&reserve, &transfer(&to, "1")).send().await.ok();
    assert_eq!(statuses(&made), ["CREATED"]);
    us.when(&reserve, made["_id"].as_str().expect("an id"), "CANCELED").await;
    assert_eq!((us.balance(&reserve).await, us.balance(&to).await), ("5.00".into(), "0.00".into()));
}

#[tokio::test]
async fn a_used_key_is_a_conflict_that_tells_what_was_made() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let send =
        async |key: &str, amount: &str| us.transfer(&from, &transfer(&to, amount)).key(key).send().await;
    let before = trans_count(&us).await;
    // Refused requests leave their key unused.
    send("k1", "-1").await.refused(400, "200");
    us.transfer(&from, &transfer("00000000000000000000000000", "1"))
        .key("k1")
        .send()
        .await
        .refused(404, "404");
    let made = send("k1", "1").await.ok();
    for (amount, same) in [("1", true), ("2", false), ("1.0", false), ("1", true)] {
        let error = send("k1", amount).await.refused(409, "400");
        assert_eq!((&error["original_id"], &error["same_payload"]), (&made["_id"], &json!(same)), "{amount}");
        assert_eq!(error["code"], "idempotency_key_used");
    }
    // What is malformed is malformed, whatever its key.
    send("k1", "0").await.refused(400, "200");
    let _ = send("K1", "1").await.ok();
    let _ = send("", "1").await.ok();
    let _ = send("", "1").await.ok();
    assert_eq!(trans_count(&us).await, before + 4);
}

#[tokio::test]
async fn a_key_counts_for_one_user_and_one_path() {
    let app = TestApp::start().await;
    let (us, ada) = (own(&app).await, app.client.verified("Ada").await);
    let (from, other, to) = (us.funded("10").await, us.funded("10").await, us.node("DEPOSIT-US").await);
    let adas = ada.funded("10").await;
    let body = transfer(&to, "1");
    let _ = us.transfer(&from, &body).key("k1").send().await.ok();
    let _ = us.transfer(&other, &body).key("k1").send().await.ok();
    let _ = ada.transfer(&adas, &body).key("k1").send().await.ok();
    for (session, node) in [(&us, &from), (&us, &other), (&ada, &adas)] {
        session.transfer(node, &body).key("k1").send().await.refused(409, "400");
    }
}

#[tokio::test]
async fn of_32_requests_at_once_with_one_key_one_is_carried_out() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
    let before = trans_count(&us).await;
    let body = transfer(&to, "1");
    let answers = join_all((0..32).map(|_| us.transfer(&from, &body).key("k1").send())).await;
    let (done, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!((done.len(), refused.len()), (1, 31));
    let id = done[0].ok()["_id"].clone();
    for answer in refused {
        assert_eq!(answer.refused(409, "400")["original_id"], id);
    }
    assert_eq!(trans_count(&us).await, before + 1);
}

#[tokio::test]
async fn a_comment_is_added_to_the_newest_note_with_one_blank() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let mut body = transfer(&to, "1");
    body["extra"]["process_on"] = json!(1);
    let made = us.transfer(&from, &body).send().await.ok();
    let id = made["_id"].as_str().expect("an id");
    let comment = async |node: &str, id: &str, text: &str| {
        let call = us.call("PATCH", &format!("/nodes/{node}/trans/{id}"));
        call.json(&json!({"comment": text})).send().await
    };
    let note = |body: &Value| body["recent_status"]["note"].as_str().expect("text").to_owned();
    let first = comment(&from, id, "Pizza \u{1f355}").await.ok();
    assert_eq!(note(&first), "Transaction Created. Pizza \u{1f355}");
    assert_eq!((&first["recent_status"], statuses(&first)), (&first["timeline"][0], vec!["CREATED"]));
    let second = comment(&to, id, "and wine").await.ok();
    assert_eq!(note(&second), "Transaction Created. Pizza \u{1f355} and wine");
    assert_eq!(us.get_transaction(&from, id).await.ok()["timeline"], second["timeline"]);

    let quick = us.sent(&from, &to, "1").await;
    let settled = us.when(&from, &quick, "SETTLED").await.ok();
    let commented = comment(&from, &quick, "late").await.ok();
    assert_eq!(note(&commented), format!("{} late", note(&settled)));
    assert_eq!(commented["timeline"][0], settled["timeline"][0]);
    assert_eq!(commented["timeline"][3], commented["recent_status"]);

    for wrong in [
        json!({}),
        json!({"comment": null}),
        json!({"comment": ""}),
        json!({"comment": 7}),
        json!({"comment": "x".repeat(1_001)}),
    ] {
        let call = us.call("PATCH", &format!("/nodes/{from}/trans/{id}"));
        assert_eq!(call.json(&wrong).send().await.refused(400, "200")["field"], "comment", "{wrong}");
    }
    let elsewhere = us.node("DEPOSIT-US").await;
    comment(&elsewhere, id, "x").await.refused(404, "404");
    comment(&from, "00000000000000000000000000", "x").await.refused(404, "404");
}

#[tokio::test]
async fn an_idempotency_key_does_not_count_on_patch() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let mut body = transfer(&to, "1");
    body["extra"]["process_on"] = json!(1);
    let made = us.transfer(&from, &body).send().await.ok();
    let path = format!("/nodes/{from}/trans/{}", made["_id"].as_str().expect("an id"));
    for expected in ["Transaction Created. x", "Transaction Created. x x"] {
        let commented = us.call("PATCH", &path).key("k1").json(&json!({"comment": "x"})).send().await.ok();
        assert_eq!(commented["recent_status"]["note"], expected);
    }
}

#[tokio::test]
async fn the_receiver_reads_it_by_its_own_node() {
    let app = TestApp::start().await;
    let (us, ada) = (own(&app).await, app.client.verified("Ada").await);
    let (from, to) = (us.funded("10").await, ada.node("DEPOSIT-US").await);
    let id = us.sent(&from, &to, "1.50").await;
    let sent = us.when(&from, &id, "SETTLED").await.ok();
    let received = ada.get_transaction(&to, &id).await.ok();
    for field in ["_id", "amount", "from", "to", "timeline", "recent_status", "extra", "fees"] {
        assert_eq!(received[field], sent[field], "{field}");
    }
    assert_eq!(sent["to"]["user"], json!({"_id": ada.user_id, "legal_names": ["Ada"]}));
    assert_eq!(ada.call("GET", "/trans").send().await.ok()["trans"][0]["_id"], id);
    // By their own node only, and neither by the other's.
    ada.call_at("GET", &format!("/users/{}/nodes/{from}/trans/{id}", us.user_id))
        .send()
        .await
        .refused(404, "404");
    ada.get_transaction(&from, &id).await.refused(404, "404");
    us.get_transaction(&to, &id).await.refused(404, "404");
    ada.get_transaction(&ada.node("DEPOSIT-US").await, &id).await.refused(404, "404");
    // Sender and receiver may comment.
    let call = ada.call("PATCH", &format!("/nodes/{to}/trans/{id}"));
    let _ = call.json(&json!({"comment": "thanks"})).send().await.ok();
}

#[tokio::test]
async fn the_link_of_a_record_can_be_followed_by_who_got_it() {
    let app = TestApp::start().await;
    let (us, ada) = (own(&app).await, app.client.verified("Ada").await);
    let (from, to) = (us.funded("10").await, ada.node("DEPOSIT-US").await);
    let id = us.sent(&from, &to, "1").await;
    for (session, node) in [(&us, &from), (&ada, &to)] {
        let record = session.get_transaction(node, &id).await.ok();
        let href = record["_links"]["self"]["href"].as_str().expect("a link").to_owned();
        let path = href.strip_prefix(&format!("http://{}/v3.1", app.address)).expect("the base url");
        assert_eq!(session.call_at("GET", path).send().await.ok()["_id"], id);
    }
}

#[tokio::test]
async fn pages_cover_the_list_exactly_while_it_grows() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let before = trans_count(&us).await;
    let (from, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
    let old: HashSet<String> =
        join_all((0..45).map(|_| us.sent(&from, &to, "0.01"))).await.into_iter().collect();
    let growing = async {
        for _ in 0..20 {
            us.sent(&from, &to, "0.01").await;
        }
    };
    let reading = async {
        let mut seen = Vec::new();
        let mut totals = Vec::new();
        for page in 1.. {
            let body = us.call("GET", &format!("/trans?page={page}&per_page=7")).send().await.ok();
            let total = body["trans_count"].as_i64().expect("a number");
            assert_eq!(body["page_count"].as_i64(), Some((total + 6) / 7));
            totals.push(total);
            let records = body["trans"].as_array().expect("a list");
            seen.extend(records.iter().map(|record| record["_id"].as_str().expect("an id").to_owned()));
            if records.is_empty() {
                break;
            }
        }
        (seen, totals)
    };
    let ((), (seen, totals)) = tokio::join!(growing, reading);
    assert!(totals.is_sorted(), "{totals:?}");
    let seen: HashSet<String> = seen.into_iter().collect();
    assert!(old.is_subset(&seen), "{} skipped", old.difference(&seen).count());
    assert_eq!(trans_count(&us).await, before + 1 + 45 + 20);
}

#[tokio::test]
async fn a_transfer_between_ones_own_nodes_is_listed_once() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("1").await, us.node("DEPOSIT-US").await);
    let before = trans_count(&us).await;
    let id = us.sent(&from, &to, "1").await;
    let body = us.call("GET", "/trans?per_page=100").send().await.ok();
    let found = body["trans"].as_array().expect("a list").iter().filter(|record| record["_id"] == id).count();
    assert_eq!((body["trans_count"].as_i64(), found), (Some(before + 1), 1));
}

#[tokio::test]
async fn a_scheduled_transaction_waits_for_its_day_and_holds_nothing() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let mut body = transfer(&to, "10");
    body["extra"]["process_on"] = json!(2);
    let made = us.transfer(&from, &body).send().await.ok();
    let extra = &made["extra"];
    let wait = extra["process_on"].as_i64().expect("a day") - extra["created_on"].as_i64().expect("a day");
    assert_eq!(wait, 2 * DAY_MS);
    // What it will need may be spent until then.
    let other = us.sent(&from, &to, "10").await;
    us.when(&from, &other, "SETTLED").await;
    let id = made["_id"].as_str().expect("an id");
    assert_eq!(statuses(&us.get_transaction(&from, id).await.ok()), ["CREATED"]);
    assert_eq!((us.balance(&from).await, us.balance(&to).await), ("0.00".into(), "10.00".into()));
}

#[tokio::test]
async fn a_wrong_side_is_refused() {
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
async fn a_wrong_fee_is_refused() {
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
    // The whole amount may go into the fee.
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
async fn a_missing_or_wrong_field_is_named() {
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

#[tokio::test]
async fn an_inactive_node_sends_nothing() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let to = us.node("DEPOSIT-US").await;
    let made =
        us.create_node(&json!({"type": "DEPOSIT-US", "info": {"nickname": "x"}, "is_active": false})).await;
    let hidden = made.ok()["nodes"][0]["_id"].as_str().expect("an id").to_owned();
    us.transfer(&hidden, &transfer(&to, "1")).send().await.refused(404, "404");
}

#[tokio::test]
async fn a_restricted_node_is_debited_only_with_the_platforms_credentials() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let to = us.node("DEPOSIT-US").await;
    let body = json!({"type": "LEDGER-US", "info": {"nickname": "x"}, "extra": {"gateway_restricted": true}});
    let made = us.create_node(&body).await.ok();
    let from = made["nodes"][0]["_id"].as_str().expect("an id");
    let _ = app.client.credit(from, "5").await.ok();
    let call = || us.transfer(from, &transfer(&to, "1"));
    call().send().await.refused(401, "300");
    call().header("X-SP-GATEWAY", "client_id_x|client_secret_x").send().await.refused(401, "100");
    let _ = call().header("X-SP-GATEWAY", app.client.gateway()).send().await.ok();
}

#[tokio::test]
async fn who_may_not_send_does_not() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let stays = daybook_tests::bodies::person_with(
        "Eve",
        &json!([{"document_type": "SSN", "document_value": "1111"}]),
    );
    let eve = app.client.create_user(&stays).await.ok();
    let eve = app.client.session(eve["_id"].as_str().expect("an id")).await;
    let (from, to) = (eve.funded("10").await, ada.node("DEPOSIT-US").await);
    let made = eve.transfer(&from, &transfer(&to, "1")).send().await.ok();
    assert_eq!(statuses(&made), ["CREATED"]);
    let id = made["_id"].as_str().expect("an id");
    daybook_tests::client::until("it is stopped", async || {
        let found = eve.get_transaction(&from, id).await.ok();
        let status = found["recent_status"]["status"].as_str().expect("text").to_owned();
        assert!(!status.starts_with("PROCESSING") && status != "SETTLED", "{found}");
        (status != "CREATED").then_some(())
    })
    .await;
    assert_eq!((eve.balance(&from).await, ada.balance(&to).await), ("10.00".into(), "0.00".into()));
}
