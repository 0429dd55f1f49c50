//! Recipients: the recipient of a fee is checked like the receiver, and pending money does not reach a closed user.

use std::sync::Arc;

use daybook_domain::transaction::Event as Step;
use daybook_domain::user::retain::HoldChange;
use daybook_domain::user::{ErasureReason, Refusal};
use daybook_domain::{Event, OperatorId, Timestamp, UserId};
use daybook_engine::access::{PlatformRecord, parse_operator_id};
use daybook_engine::{StoresError, SubmitError};
use daybook_tests::app::TestApp;
use daybook_tests::bodies::{transfer, transfer_to};
use daybook_tests::client::Session;
use daybook_tests::operator::Operator;
use futures::future::join_all;
use serde_json::{Value, json};

use super::{own, statuses, still};
use crate::subject::close;

const DAY_S: i64 = 86_400;

/// A sandbox with an operator, in which the platform's own user has a node with 100.00 and another node.
struct Desk {
    app: TestApp,
    ada: Operator,
    platform: Arc<PlatformRecord>,
    us: Session,
    from: String,
    to: String,
}

impl Desk {
    async fn new(app: TestApp) -> Self {
        let (ada, us) = (app.operator("Ada").await, own(&app).await);
        let access = app.service.engine.access();
        let platform = access.platform_of_client(&app.client.client_id).await.expect("reads");
        let (from, to) = (us.funded("100.00").await, us.node("DEPOSIT-US").await);
        Self { platform: platform.expect("there is one"), app, ada, us, from, to }
    }

    async fn act(&self, act: &Value) {
        let path = format!("/platforms/{}/operations", self.app.client.client_id);
        let body = json!({"act": act, "reason": "A ticket asks for it."});
        assert_eq!(self.ada.call("POST", &path).json(&body).send().await.ok()["status"], "DONE");
    }

    async fn lock(&self, node: &str) {
        self.act(&json!({"kind": "lock_node", "node_id": node})).await;
    }

    async fn limit(&self, node: &str, daily_in: &Value) {
        let limits = json!({"USD": {"daily_in": daily_in}});
        self.act(&json!({"kind": "set_limits", "node_id": node, "limits": limits})).await;
    }

    /// Creates a payment of 10.00 with a fee for `node`.
    async fn pay(&self, to: (&str, &str), fee: &str, node: &str) -> String {
        let mut body = transfer_to(to.0, to.1, "10.00");
        body["fees"] = serde_json::from_str(&format!(r#"[{{"fee": {fee}, "to": {{"id": "{node}"}}}}]"#))
            .expect("a list of fees");
        let made = self.us.transfer(&self.from, &body).send().await.ok();
        made["_id"].as_str().expect("an id").to_owned()
    }

    async fn steps(&self, id: &str, count: usize) {
        for _ in 0..count {
            let _ = self.app.client.simulate(id, "process", &json!({})).await.ok();
        }
    }

    async fn settle(&self, id: &str) {
        let _ = self.app.client.simulate(id, "settle", &json!({})).await.ok();
    }

    /// Returns status and note of the transaction's newest status.
    async fn stands(&self, id: &str) -> [String; 2] {
        let found = self.us.get_transaction(&self.from, id).await.ok();
        ["status", "note"].map(|what| found["recent_status"][what].as_str().expect("text").to_owned())
    }

    async fn erase(&self, user: &Session) -> Result<(), StoresError> {
        let engine = &self.app.service.engine;
        engine.erase_user(&self.platform, self.by(), id(user), ErasureReason::Requested).await
    }

    async fn retain(&self, user: &Session) {
        let (engine, until) = (&self.app.service.engine, Some(Timestamp::from_ms(0)));
        let kept = engine.retain_user(&self.platform, self.by(), id(user), until, HoldChange::Stays);
        kept.await.expect("is not refused");
    }

    fn by(&self) -> OperatorId {
        parse_operator_id(&self.ada.operator_id).expect("an id")
    }
}

fn id(user: &Session) -> UserId {
    user.user_id.parse().expect("an id")
}

#[tokio::test]
async fn fee_waits_for_its_node_and_owner() {
    let desk = Desk::new(still().await).await;
    let client = &desk.app.client;
    let (eve, bob, dan) =
        (client.stranger("Eve").await, client.verified("Bob").await, client.verified("Dan").await);
    let (eves, bobs) = (eve.node("LEDGER-US").await, bob.node("LEDGER-US").await);
    let (locked, full) = (dan.node("LEDGER-US").await, dan.node("LEDGER-US").await);
    let _ = client.verify(&eve.user_id, "UNVERIFIED").await.ok();
    desk.act(&json!({"kind": "lock_user", "user_id": bob.user_id})).await;
    desk.lock(&locked).await;
    desk.limit(&full, &json!(9.99)).await;
    let to = ("DEPOSIT-US", desk.to.as_str());
    let mut waiting = vec![];
    for (node, code) in [(&eves, "Q07"), (&bobs, "Q07"), (&locked, "Q09"), (&full, "Q10")] {
        let id = desk.pay(to, "10.00", node).await;
        let [status, note] = desk.stands(&id).await;
        assert_eq!(status, "QUEUED-BY-LEDGER", "{code}: {note}");
        assert!(note.contains(&format!(" {code}: ")), "{note}");
        waiting.push(id);
    }
    assert_eq!(desk.us.numbers(&desk.from).await, "100.00 40.00 60.00 0.00");
    // Each transaction is released when its cause ends.
    let _ = client.verify(&eve.user_id, "RECEIVE").await.ok();
    desk.act(&json!({"kind": "unlock_user", "user_id": bob.user_id})).await;
    desk.act(&json!({"kind": "unlock_node", "node_id": locked})).await;
    for id in &waiting[..3] {
        desk.us.when(&desk.from, id, "CREATED").await;
        desk.settle(id).await;
    }
    assert_eq!((eve.balance(&eves).await, bob.balance(&bobs).await), ("10.00".into(), "10.00".into()));
    assert_eq!((dan.balance(&locked).await, dan.balance(&full).await), ("10.00".into(), "0.00".into()));
    assert_eq!(desk.us.numbers(&desk.from).await, "70.00 10.00 60.00 0.00");
}

#[tokio::test]
async fn receive_only_user_pays_no_foreign_fees() {
    let desk = Desk::new(still().await).await;
    let client = &desk.app.client;
    let (eve, bob) = (client.stranger("Eve").await, client.verified("Bob").await);
    let _ = client.verify(&eve.user_id, "RECEIVE").await.ok();
    let (from, theirs) = (eve.funded("20.00").await, bob.node("LEDGER-US").await);
    let ours = desk.us.node("LEDGER-US").await;
    for (node, expected) in [(&theirs, "QUEUED-BY-LEDGER"), (&ours, "CREATED")] {
        let mut body = transfer(&desk.to, "10.00");
        body["fees"] = json!([{"fee": 10.00, "to": {"id": node}}]);
        let made = eve.transfer(&from, &body).send().await.ok();
        let found = eve.get_transaction(&from, made["_id"].as_str().expect("an id")).await.ok();
        assert_eq!(found["recent_status"]["status"], expected, "{found}");
    }
}

#[tokio::test]
async fn fee_of_unavailable_recipient_stays_with_receiver() {
    let desk = Desk::new(still().await).await;
    let to = ("DEPOSIT-US", desk.to.as_str());
    let mut payments = vec![];
    for name in ["Ann", "Bob", "Cat", "Dan", "Eve"] {
        let who = desk.app.client.verified(name).await;
        let node = who.node("LEDGER-US").await;
        let id = desk.pay(to, "1.00", &node).await;
        desk.steps(&id, 2).await;
        payments.push((who, node, id));
    }
    let [ann, bob, cat, dan, eve] = &payments[..] else { panic!("five") };
    desk.lock(&ann.1).await;
    desk.act(&json!({"kind": "lock_user", "user_id": bob.0.user_id})).await;
    let _ = cat.0.call("DELETE", &format!("/nodes/{}", cat.1)).send().await.ok();
    close(&dan.0).await;
    close(&eve.0).await;
    desk.erase(&eve.0).await.expect("no money ever came to it");
    let why = ["is locked", "may not receive", "is not active", "may not receive", "may not receive"];
    for ((_, node, id), why) in payments.iter().zip(why) {
        desk.steps(id, 1).await;
        let [status, note] = desk.stands(id).await;
        assert_eq!(status, "SETTLED");
        let told = format!("The fee of 1.00 stays with the receiver: node {node}");
        assert!(note.contains(&told) && note.contains(why), "{note}");
    }
    assert_eq!(desk.us.numbers(&desk.to).await, "50.00 0.00 50.00 0.00");
    assert_eq!(ann.0.balance(&ann.1).await, "0.00");
    let events = desk.app.events().await;
    let told = events.iter().filter(|it| matches!(it.event, Event::Transaction(Step::FeesRedirected(_))));
    assert_eq!(told.count(), 5);
    // A return takes the fee from the node that received it.
    let _ = desk.app.client.simulate(&ann.2, "return", &json!({"code": "R01"})).await.ok();
    assert_eq!(desk.us.balance(&desk.to).await, "40.00");
    assert_eq!(desk.us.balance(&desk.from).await, "60.00");
}

#[tokio::test]
async fn fee_without_recipient_goes_to_reserve() {
    let desk = Desk::new(still().await).await;
    let dan = desk.app.client.verified("Dan").await;
    let (bank, node) = (desk.us.node("ACH-US").await, dan.node("LEDGER-US").await);
    let reserve = async || {
        let listed = desk.us.call("GET", "/nodes?type=RESERVE-US").send().await;
        listed.raw("nodes.0.info.balance.amount").parse::<f64>().expect("a number")
    };
    let id = desk.pay(("ACH-US", &bank), "1.00", &node).await;
    desk.steps(&id, 2).await;
    desk.lock(&node).await;
    let before = reserve().await;
    desk.steps(&id, 1).await;
    let [status, note] = desk.stands(&id).await;
    assert_eq!(status, "SETTLED");
    assert!(note.contains("The fee of 1.00 went to the platform: node"), "{note}");
    assert_eq!((reserve().await - before, dan.balance(&node).await), (1.0, "0.00".into()));
}

#[tokio::test]
async fn fee_recipient_needs_a_retention_day() {
    let desk = Desk::new(still().await).await;
    let dan = desk.app.client.verified("Dan").await;
    let node = dan.node("LEDGER-US").await;
    let id = desk.pay(("DEPOSIT-US", &desk.to), "1.00", &node).await;
    desk.settle(&id).await;
    assert_eq!(dan.balance(&node).await, "1.00");
    let _ = desk.app.client.simulate(&id, "return", &json!({"code": "R01"})).await.ok();
    assert_eq!(dan.balance(&node).await, "0.00");
    close(&dan).await;
    match desk.erase(&dan).await {
        Err(StoresError::Submit(SubmitError::Refused(found))) => {
            assert_eq!(found, Refusal::RetentionUnset.into());
        }
        other => panic!("a day was expected to be asked for: {other:?}"),
    }
    desk.retain(&dan).await;
    desk.erase(&dan).await.expect("its day has come");
}

#[tokio::test]
async fn daily_limit_counts_pending_amounts() {
    let desk = Desk::new(still().await).await;
    desk.limit(&desk.to, &json!(50.00)).await;
    let pay = || desk.us.sent(&desk.from, &desk.to, "30.00");
    let ids = join_all((0..3).map(|_| pay())).await;
    for id in &ids {
        desk.steps(id, 1).await;
    }
    let status = async |at: usize| desk.stands(&ids[at]).await[0].clone();
    let queued = "QUEUED-BY-LEDGER";
    assert_eq!([status(0).await, status(1).await, status(2).await], ["PROCESSING-DEBIT", queued, queued]);
    assert_eq!(desk.us.numbers(&desk.to).await, "0.00 0.00 0.00 30.00");
    desk.steps(&ids[0], 2).await;
    assert_eq!(desk.us.numbers(&desk.to).await, "30.00 0.00 30.00 0.00");
    // The next day has room for one more transaction, whose steps are due at once.
    let _ = desk.app.client.noon(0).await;
    let settled = daybook_tests::client::until("one alone is settled", async || {
        match [status(1).await.as_str(), status(2).await.as_str()] {
            ["SETTLED", other] if other == queued => Some(1),
            [other, "SETTLED"] if other == queued => Some(2),
            _ => None,
        }
    })
    .await;
    let found = desk.us.get_transaction(&desk.from, &ids[settled]).await.ok();
    assert_eq!(statuses(&found)[..4], ["CREATED", queued, "CREATED", "PROCESSING-DEBIT"]);
    assert_eq!(desk.us.numbers(&desk.to).await, "60.00 0.00 60.00 0.00");
}

#[tokio::test]
async fn payments_due_together_respect_daily_limit() {
    let desk = Desk::new(TestApp::start().await).await;
    let _ = desk.app.client.noon(0).await;
    desk.limit(&desk.to, &json!(50.00)).await;
    let ids = join_all((0..3).map(|_| desk.us.sent(&desk.from, &desk.to, "30.00"))).await;
    let stops = async |id: &String| {
        daybook_tests::client::until("it stops", async || {
            let [status, _] = desk.stands(id).await;
            ["SETTLED", "QUEUED-BY-LEDGER"].contains(&status.as_str()).then_some(status)
        })
        .await
    };
    let mut ends = join_all(ids.iter().map(stops)).await;
    ends.sort();
    assert_eq!(ends, ["QUEUED-BY-LEDGER", "QUEUED-BY-LEDGER", "SETTLED"]);
    assert_eq!(desk.us.numbers(&desk.to).await, "30.00 0.00 30.00 0.00");
    assert_eq!(desk.us.numbers(&desk.from).await, "70.00 60.00 10.00 0.00");
    let _ = desk.app.client.advance(DAY_S).await.ok();
    daybook_tests::client::until("another day lets another one through", async || {
        (desk.us.balance(&desk.to).await == "60.00").then_some(())
    })
    .await;
}
