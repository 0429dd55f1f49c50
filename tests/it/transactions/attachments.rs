//! Attachments of a transaction: stored sealed, and readable by the user that uploaded them only.

use std::time::Duration;

use daybook_domain::id::BoxId;
use daybook_domain::testing::fixture::{ANN, PLATFORM};
use daybook_domain::{AttachmentId, Event, Sealed, attachment};
use daybook_log::conformance::batch;
use daybook_log::postgres::PostgresLog;
use daybook_log::{EncodedEvent, Log};
use daybook_projector::RecordedEvent;
use daybook_tests::app::TestApp;
use daybook_tests::bodies::transfer;
use daybook_tests::client::Session;
use daybook_tests::shard;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::read_models::story::plain;

const NOBODYS: &str = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ";

fn with_papers(to: &str, attachments: &Value) -> Value {
    let mut body = transfer(to, "1");
    body["extra"]["other"] = json!({ "attachments": attachments });
    body
}

#[tokio::test]
async fn attachments_are_readable_by_their_sender_only() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.client.verified("Ada").await, app.client.verified("Bob").await);
    let (from, to) = (ada.funded("10").await, bob.node("DEPOSIT-US").await);
    let large = format!("data:application/pdf;base64,{}", "QUJD".repeat(1_000_000));
    let made = ada.transfer(&from, &with_papers(&to, &json!(["SGk=", large]))).send().await.ok();
    let (id, attachments) = (made["_id"].as_str().expect("an id"), &made["extra"]["other"]["attachments"]);
    assert_eq!(ada.get_transaction(&from, id).await.ok()["extra"]["other"]["attachments"], *attachments);
    let read = async |index: usize| {
        let href = attachments[index].as_str().expect("a link").to_owned();
        let path = href.split_once("/v3.1").expect("an address of ours").1.to_owned();
        ada.call_at("GET", &path).send().await.ok()
    };
    let (small, pdf) = (read(0).await, read(1).await);
    assert_eq!(
        (&small["attachment"], &small["media_type"], &small["trans_id"]),
        (&json!("SGk="), &json!(""), &json!(id))
    );
    assert_eq!(
        (pdf["attachment"].as_str().map(str::len), &pdf["media_type"]),
        (Some(4_000_000), &json!("application/pdf"))
    );
    // The receiver sees the payment without its attachments.
    let seen = bob.get_transaction(&to, id).await.ok();
    assert_eq!(seen["extra"]["other"], Value::Null);
    let paper = small["_id"].as_str().expect("an id");
    let path = format!("/nodes/{to}/trans/{id}/attachments/{paper}");
    bob.call("GET", &path).send().await.refused(404, "404");
    let other = ada.sent(&from, &to, "1").await;
    let path = format!("/nodes/{from}/trans/{other}/attachments/{paper}");
    ada.call("GET", &path).send().await.refused(404, "404");
}

#[tokio::test]
async fn attachments_are_not_stored_in_list_tables() {
    let app = TestApp::start().await;
    let ada = app.client.verified("Ada").await;
    let (from, to) = (ada.funded("10").await, ada.node("DEPOSIT-US").await);
    let large = "QUJD".repeat(500_000);
    ada.transfer(&from, &with_papers(&to, &json!([large]))).send().await.ok();
    ada.transactions().await;
    let db = app.database.pg().client().await.expect("a connection");
    let row =
        db.query_one("select max(pg_column_size(t.*)) from transactions_v2 t", &[]).await.expect("rows");
    assert!(row.get::<_, i32>(0) < 8_192);
}

#[tokio::test]
async fn positional_log_reads_omit_attachment_contents() {
    const LARGE: usize = 4 << 20;
    let app = TestApp::start().await;
    let ada = app.client.verified("Ada").await;
    let (from, to) = (ada.funded("10").await, ada.node("DEPOSIT-US").await);
    let (log, reads) = (app.service.engine.log(), app.service.engine.reads());
    let before = log.head(shard()).await.expect("a head");
    // Written by another process, so that writer and projector of this one must read the events.
    let elsewhere = PostgresLog::new(app.database.pg());
    let mut writer = elsewhere.appender(shard(), Uuid::nil()).await.expect("opens");
    for number in 1..=40 {
        let head = writer.lock(&[], 0).await.expect("the lock").head;
        let batch = batch(number, head.recorded_at_ms, vec![handed_in(number, LARGE)]);
        writer.append(batch).await.expect("appends");
    }
    ada.sent(&from, &to, "1").await;
    let head = log.head(shard()).await.expect("a head").position;
    assert!(reads.store().caught_up(shard(), head, Duration::from_secs(20)).await.expect("reads") >= head);

    let page = log.read(shard(), before.position, head).await.expect("a page");
    let bytes: usize = page.iter().filter_map(|found| found.event.sealed.as_ref()).map(Vec::len).sum();
    assert!(bytes < 64 << 10, "{bytes} bytes of boxes in a page");
    let decoded = page.iter().map(|found| RecordedEvent::decode(found).expect("decodes").event);
    let attachments = decoded.filter(|event| {
        matches!(event, Event::Attachment(attachment::Event::Added(added)) if added.contents.is_none())
    });
    assert_eq!(attachments.count(), 40);
    let one = log.streams(shard(), &[(Uuid::from_u128(40), 0)]).await.expect("events");
    assert_eq!(one[0].event.sealed.as_ref().map(Vec::len), Some(LARGE));
}

/// Returns the event of an attachment of `size` bytes, in the form of the log.
fn handed_in(number: u128, size: usize) -> EncodedEvent {
    let contents = Sealed { id: BoxId::from_u128(number), bytes: vec![7; size].into() };
    let added =
        attachment::Added { platform: PLATFORM, subject: ANN, evidence: None, contents: Some(contents) };
    let encoded = Event::from(added).encode().expect("encodes");
    EncodedEvent {
        event_id: Uuid::from_u128(number),
        event_type: encoded.schema.event_type,
        schema_version: encoded.schema.version,
        data: encoded.data,
        sealed: encoded.sealed.map(|sealed| sealed.bytes.to_vec()),
        ..plain(AttachmentId::from_u128(number).into(), 1)
    }
}

#[tokio::test]
async fn malformed_attachment_is_refused() {
    let app = TestApp::start().await;
    let ada = app.client.verified("Ada").await;
    let (from, to) = (ada.funded("10").await, ada.node("DEPOSIT-US").await);
    for attachments in
        [json!(["SGk"]), json!(["%"]), json!([""]), json!([5]), json!("SGk="), json!(vec!["SGk="; 11])]
    {
        ada.transfer(&from, &with_papers(&to, &attachments)).send().await.refused(400, "200");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attachment_reads_are_limited_per_user() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.client.verified("Ada").await, app.client.verified("Bob").await);
    let engine = &app.service.engine;
    let platform =
        engine.access().platform_of_client(&app.client.client_id).await.expect("the database is there");
    let (platform, user) = (platform.expect("it was made").id, ada.user_id.parse().expect("an id"));
    let own = [
        engine.concurrency_limits().large_read(platform, user).await,
        engine.concurrency_limits().large_read(platform, user).await,
    ];
    assert!(own.iter().all(Result::is_ok));
    let read = |us: &Session| {
        us.call("GET", &format!("/nodes/{NOBODYS}/trans/{NOBODYS}/attachments/{NOBODYS}")).send()
    };
    let waited = read(&ada).await;
    assert_eq!((waited.status, &waited.json()["error_code"]), (503, &json!("503")), "{}", waited.text());
    read(&bob).await.refused(404, "404");
    drop(own);
    read(&ada).await.refused(404, "404");
}
