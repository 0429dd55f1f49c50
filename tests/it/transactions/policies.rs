//! Policies: additional requirements of a platform, as its API users see them.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::id::{OperationId, OperatorId};
use daybook_domain::operation::Act;
use daybook_domain::operation::request::Request;
use daybook_domain::platform::{Limits, Policy};
use daybook_domain::{Command, Currency, States, UserId};
use daybook_engine::{Call, Sealer};
use daybook_tests::app::TestApp;
use daybook_tests::bodies::transfer;
use daybook_tests::shard;
use daybook_vault::Class;
use serde_json::json;
use uuid::Uuid;

use super::{own, statuses, still, trans_count};

const DAY_S: i64 = 86_400;

/// Sets the platform's policy with an operator's command.
pub(crate) async fn set(app: &TestApp, policy: Policy) {
    let engine = &app.service.engine;
    let user: UserId = app.client.user_id.parse().expect("an id");
    let found = engine.reads().aggregates().records(shard(), &[user.into()]).await.expect("it reads");
    let platform = found.user(user).expect("it is there").platform;
    let keys = engine.vault().keys(shard(), Uuid::from(user)).await.expect("it reads");
    let (now, entropy) = (engine.clock().now(), engine.entropy());
    let sealer = Sealer::new(keys.expect("a key"), now, entropy);
    let request = Request {
        id: OperationId::from_u128(entropy.ulid(now)),
        platform,
        by: OperatorId::from_u128(1),
        act: Act::SetPolicy { policy },
        reason: sealer.seal(Class::Profile, &json!({"text": "a test"})).expect("it seals"),
    };
    engine.submit(Call::of(shard()), Command::Request(Box::new(request))).await.expect("it is done");
}

#[tokio::test]
async fn reject_unfunded_policy_reports_missing_amount() {
    let app = still().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("5.00").await, us.node("DEPOSIT-US").await);
    let promised = us.sent(&from, &to, "1.50").await;
    set(&app, Policy { reject_unfunded: true, ..Policy::default() }).await;
    let before = trans_count(&us).await;
    let send = |amount: &str| us.transfer(&from, &transfer(&to, amount)).key("k1");
    let answer = send("3.51").send().await;
    let error = answer.refused(409, "400");
    assert_eq!((&error["code"], &error["currency"]), (&json!("insufficient_balance"), &json!("USD")));
    assert_eq!(error["node_id"], json!(from));
    for (field, number) in [("needed", "3.51"), ("available", "3.50"), ("held", "1.50")] {
        assert_eq!(answer.raw(&format!("error.{field}")), number);
    }
    assert_eq!(trans_count(&us).await, before);
    assert_eq!(us.numbers(&from).await, "5.00 1.50 3.50 0.00");
    // A refused call does not use up its key.
    let made = send("3.50").send().await.ok();
    assert_eq!(statuses(&made), ["CREATED"]);
    assert_eq!(us.numbers(&from).await, "5.00 5.00 0.00 0.00");
    // A scheduled transaction is checked when it is due.
    let mut later = transfer(&to, "100.00");
    later["extra"]["process_on"] = json!(1);
    let _ = us.transfer(&from, &later).send().await.ok();
    let _ = us.cancel(&from, &promised).send().await.ok();
    assert_eq!(us.numbers(&from).await, "5.00 3.50 1.50 0.00");
}

#[tokio::test]
async fn enabled_currencies_move_and_never_mix() {
    let app = still().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("5.00").await, us.node("DEPOSIT-US").await);
    let mut body = transfer(&to, "2.00");
    body["amount"]["currency"] = json!("EUR");
    let credit = || {
        let call = app.client.call("POST", &format!("/sandbox/nodes/{from}/credit"));
        call.body(r#"{"amount": {"amount": 3.00, "currency": "EUR"}}"#)
    };
    assert_eq!(credit().send().await.refused(400, "200")["field"], "amount.currency");
    assert_eq!(us.transfer(&from, &body).send().await.refused(400, "200")["field"], "amount.currency");

    let euro = Currency::parse("EUR").expect("a currency");
    set(&app, Policy { currencies: BTreeSet::from([euro]), ..Policy::default() }).await;
    let _ = credit().send().await.ok();
    let made = us.transfer(&from, &body).send().await.ok();
    assert_eq!(made["amount"], json!({"amount": 2.0, "currency": "EUR"}));
    let _ = app.client.simulate(made["_id"].as_str().expect("an id"), "settle", &json!({})).await.ok();
    let posted = async |node: &str, currency: &str| {
        let path = format!("/nodes/{node}/balance?currency={currency}");
        us.call("GET", &path).send().await.raw("posted")
    };
    assert_eq!((posted(&from, "EUR").await, posted(&to, "EUR").await), ("1.00".into(), "2.00".into()));
    assert_eq!((posted(&from, "USD").await, posted(&to, "USD").await), ("5.00".into(), "0.00".into()));
}

#[tokio::test]
async fn amount_over_daily_limit_waits_a_day() {
    let app = still().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("50.00").await, us.node("DEPOSIT-US").await);
    let limits = Limits { daily_out: Some(1_000), ..Limits::default() };
    set(&app, Policy { limits: BTreeMap::from([(Currency::USD, limits)]), ..Policy::default() }).await;
    let first = us.sent(&from, &to, "7.00").await;
    let second = us.sent(&from, &to, "3.01").await;
    assert_eq!(statuses(&us.get_transaction(&from, &first).await.ok()), ["CREATED"]);
    let queued = us.get_transaction(&from, &second).await.ok();
    let note = "Transaction queued by ledger. Q10: it would exceed what may move on one day.";
    assert_eq!(queued["recent_status"]["note"], note);
    let _ = app.client.simulate(&first, "settle", &json!({})).await.ok();
    let _ = app.client.advance(2 * DAY_S).await.ok();
    us.when(&from, &second, "SETTLED").await;
    assert_eq!(us.balance(&to).await, "10.01");
}

#[tokio::test]
async fn floor_allows_credit_or_demands_minimum() {
    for (floor, most, least) in [(-500, "15.00", "15.01"), (400, "6.00", "6.01")] {
        let app = still().await;
        let us = own(&app).await;
        let node = us.funded("10.00").await;
        let limits = Limits { floor: Some(floor), ..Limits::default() };
        set(&app, Policy { limits: BTreeMap::from([(Currency::USD, limits)]), ..Policy::default() }).await;
        app.client.debit(&node, least).await.refused(409, "400");
        let _ = app.client.debit(&node, most).await.ok();
        app.client.debit(&node, "0.01").await.refused(409, "400");
    }
}
