//! Delivery of webhooks: every event is delivered at least once, in order per record, despite failing receivers and
//! restarts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actix_web::HttpResponse;
use daybook_api::webhook::signature::Signed;
use daybook_engine::webhook::{Webhooks, replay};
use daybook_projector::RecordedEvent;
use daybook_tests::app::TestApp;
use daybook_tests::client::until;
use daybook_tests::shard;
use tokio::sync::watch;

use super::receiver::{Heard, Receiver};
use super::{Hook, SCOPES};
use crate::privacy::{assert_nowhere, dump};

/// Delivers webhooks until it is dropped.
pub(super) struct Telling(watch::Sender<bool>);

impl Telling {
    pub(super) fn start(app: &TestApp) -> Self {
        Self::by(app.service.webhooks(&format!("http://{}", app.address), shard()))
    }

    pub(super) fn by(webhooks: Webhooks) -> Self {
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(webhooks.run(stopped));
        Self(stop)
    }

    /// Starts, and waits until the cursor is at the end of the log.
    pub(super) async fn begun(app: &TestApp) -> Self {
        let telling = Self::start(app);
        Self::has_begun(app).await;
        telling
    }

    pub(super) async fn has_begun(app: &TestApp) {
        let begun = "select position from cursor where name = 'webhooks'";
        let client = app.database.pg().client().await.expect("connects");
        until("it has begun", async || client.query_opt(begun, &[]).await.expect("reads")).await;
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        self.0.send_replace(true);
    }
}

/// Makes all waiting deliveries due.
pub(super) async fn hurry(app: &TestApp) {
    let client = app.database.pg().client().await.expect("connects");
    client.batch_execute("update webhook_lane set due_at = now()").await.expect("is due");
}

pub(super) async fn lanes(app: &TestApp) -> i64 {
    let client = app.database.pg().client().await.expect("connects");
    client.query_one("select count(*) from webhook_lane", &[]).await.expect("counts").get(0)
}

/// Returns the ids of the delivered events by record, in the order of their first delivery.
pub(super) fn by_record(heard: &[Heard]) -> BTreeMap<String, Vec<String>> {
    let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in heard {
        let events = told.entry(one.record()).or_default();
        if !events.contains(&one.event_id) {
            events.push(one.event_id.clone());
        }
    }
    told
}

/// Returns the ids of the events that must be delivered by record: every event since the subscription.
pub(super) async fn expected(app: &TestApp, hook: &Hook) -> BTreeMap<String, Vec<String>> {
    let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let made = |happened: &&RecordedEvent| happened.key.id == hook.id.as_u128();
    let since = app.events().await.iter().find(made).expect("it was made").position;
    for one in hook.everything(app).await.into_iter().filter(|told| told.position > since) {
        let record = one.body["_id"]["$oid"].as_str().expect("an id").to_owned();
        told.entry(record).or_default().push(one.prepared.event_id);
    }
    told
}

/// Creates a user with money and payments that all end: many events of several records.
pub(super) async fn live(app: &TestApp) {
    let us = app.client.verified("Ada").await;
    let (from, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
    for _ in 0..5 {
        us.sent(&from, &to, "1.00").await;
    }
    us.ended().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn webhooks_are_delivered_once_ordered_and_signed() {
    let app = TestApp::start().await;
    let receiver = Receiver::answering(|_| 200);
    let telling = Telling::begun(&app).await;
    let hook = Hook::new(&app, &app.client, &receiver.url, &SCOPES).await;
    live(&app).await;
    drop(telling);
    // Another process continues where the first one stopped. Two concurrent processes deliver no event twice.
    let _telling = [Telling::start(&app), Telling::start(&app)];
    live(&app).await;
    until("everything is told", async || {
        let (told, all) = (by_record(&receiver.heard()), expected(&app, &hook).await);
        (told == all).then_some(())
    })
    .await;
    until("nothing is left", async || (lanes(&app).await == 0).then_some(())).await;
    for heard in receiver.heard() {
        let at_s = heard.header("webhook-timestamp").parse().expect("a time");
        let record = heard.record();
        let signed = Signed {
            event_id: &heard.event_id,
            at_s,
            body: &heard.body,
            object_id: &record,
            client_id: &app.client.client_id,
        };
        let secret = daybook_api::webhook::signature::SubscriptionSecret::new(
            hook.secret.clone().try_into().expect("32 bytes"),
        );
        let headers = signed.headers(&[secret], None).expect("can be signed");
        assert_eq!(headers["webhook-signature"].to_str().expect("text"), heard.header("webhook-signature"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_delivery_blocks_only_its_record() {
    let app = TestApp::start().await;
    let is_well = Arc::new(AtomicBool::new(false));
    let known = Arc::clone(&is_well);
    // Refuses calls about users until `is_well` is set.
    let receiver = Receiver::answering(move |heard| {
        let is_user =
            heard.json()["webhook_meta"]["function"].as_str().is_some_and(|name| name.starts_with("USER"));
        if is_user && !known.load(Ordering::SeqCst) { 500 } else { 204 }
    });
    let _telling = Telling::begun(&app).await;
    let hook = Hook::new(&app, &app.client, &receiver.url, &SCOPES).await;
    live(&app).await;
    let all = expected(&app, &hook).await;
    let refused = |heard: &Heard| {
        heard.json()["webhook_meta"]["function"].as_str().is_some_and(|name| name.starts_with("USER"))
    };
    until("all others are told", async || {
        let others: Vec<Heard> = receiver.heard().into_iter().filter(|heard| !refused(heard)).collect();
        (by_record(&others).len() == all.len() - 1).then_some(())
    })
    .await;
    let first: Vec<Heard> = receiver.heard().into_iter().filter(refused).collect();
    assert!(first.iter().all(|heard| heard.event_id == first[0].event_id), "one waits for the one before it");
    is_well.store(true, Ordering::SeqCst);
    until("everything is told", async || {
        hurry(&app).await;
        (by_record(&receiver.heard()) == all).then_some(())
    })
    .await;
    let bodies: Vec<_> = receiver
        .heard()
        .iter()
        .filter(|heard| heard.event_id == first[0].event_id)
        .map(|heard| heard.body.clone())
        .collect();
    assert!(bodies.len() > 1 && bodies.iter().all(|body| *body == bodies[0]), "a retry says the same");
    let logs = app.client.call("GET", "/subscriptions/logs?per_page=100").send().await.ok();
    let outcome = |name: &str| {
        logs["logs"].as_array().expect("a list").iter().filter(|log| log["outcome"] == name).count()
    };
    assert!(outcome("refused") >= 1 && outcome("taken") >= 1, "{logs}");
    let refused = logs["logs"].as_array().into_iter().flatten().find(|log| log["outcome"] == "refused");
    assert_eq!(refused.expect("one was refused")["answer"], "I heard you");
    let others = app.platform("Other", true).await.call("GET", "/subscriptions/logs").send().await.ok();
    assert_eq!(others["logs_count"], 0, "{others}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gone_or_silent_receiver_is_deactivated() {
    for status in [503, 410] {
        let app = TestApp::start().await;
        let receiver = Receiver::answering(move |_| status);
        let mut telling = Telling::begun(&app).await;
        let hook = Hook::new(&app, &app.client, &receiver.url, &["USERS|POST"]).await;
        app.client.verified("Ada").await;
        let path = format!("/subscriptions/{}", hook.id);
        let stopped = until("it is set inactive", async || {
            let record = app.client.call("GET", &path).send().await.ok();
            if status == 503 {
                // Making a call due during an attempt would repeat that attempt.
                tokio::time::sleep(Duration::from_millis(500)).await;
                hurry(&app).await;
                // A new process does not know since when the receiver has failed, so it calls it immediately.
                telling = Telling::start(&app);
            }
            (record["is_active"] == false).then(|| record["stopped"]["reason"].clone())
        })
        .await;
        assert_eq!(stopped, if status == 410 { "gone" } else { "silent" });
        drop(telling);
        let logs = app.client.call("GET", "/subscriptions/logs?per_page=100").send().await.ok();
        assert_eq!(logs["logs_count"], if status == 410 { 1 } else { 10 }, "{logs}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn webhook_can_be_redelivered_on_request() {
    let app = TestApp::start().await;
    let receiver = Receiver::answering(|_| 200);
    let _telling = Telling::begun(&app).await;
    let hook = Hook::new(&app, &app.client, &receiver.url, &SCOPES).await;
    live(&app).await;
    let all = expected(&app, &hook).await;
    until("everything is told", async || (by_record(&receiver.heard()) == all).then_some(())).await;
    let before = receiver.heard();
    let position = before[0].position();
    let path = format!("/subscriptions/{}/redeliver", hook.id);
    let again =
        app.client.call("POST", &path).json(&serde_json::json!({"position": position})).send().await.ok();
    assert_eq!((&again["outcome"], &again["attempt"]), (&"taken".into(), &0.into()), "{again}");
    let last = receiver.heard().pop().expect("is told");
    assert_eq!((&last.event_id, &last.body), (&before[0].event_id, &before[0].body));
    let nothing = app.client.call("POST", &path).json(&serde_json::json!({"position": 1})).send().await;
    assert_eq!(nothing.failure()["error"]["code"], "nothing_to_tell");
    let stranger = app.platform("Other", true).await;
    let foreign = stranger.call("POST", &path).json(&serde_json::json!({"position": position})).send().await;
    assert_eq!(foreign.status, 404);
    // All deliveries from a position on.
    let from = before[before.len() / 2].position();
    let heard = receiver.heard().len();
    replay(&app.service.engine, &app.database.pg(), shard(), hook.id, from)
        .await
        .expect("is told")
        .expect("is active");
    let later = before.iter().filter(|heard| heard.position() >= from).count();
    until("it is told again", async || (receiver.heard().len() == heard + later).then_some(())).await;
    let told = by_record(&receiver.heard()[heard..]);
    assert!(told.iter().all(|(record, events)| all[record].ends_with(events)), "{told:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn receiver_answer_is_shown_and_stored_sealed() {
    let app = TestApp::start().await;
    let receiver = Receiver::saying(|heard| {
        HttpResponse::BadRequest().body(format!("who is {}?", heard.json()["legal_names"][0]))
    });
    let _telling = Telling::begun(&app).await;
    let _hook = Hook::new(&app, &app.client, &receiver.url, &["USERS|POST"]).await;
    app.client.verified("Canary Repeated").await;
    let answer = until("an attempt is noted", async || {
        let logs = app.client.call("GET", "/subscriptions/logs").send().await.ok();
        logs["logs"][0]["answer"].as_str().map(str::to_owned)
    })
    .await;
    assert_eq!(answer, r#"who is "Canary Repeated"?"#);
    assert_nowhere(&dump(&app.database).await, "Canary Repeated");
}
