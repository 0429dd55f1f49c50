//! Platforms with silent receivers, beside a platform with a healthy one.

use std::sync::atomic::Ordering;

use daybook_tests::app::TestApp;
use daybook_tests::client::until;
use daybook_tests::shard;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use super::behaviours::listening;
use super::delivered::{Telling, by_record, expected, live};
use super::receiver::Receiver;
use super::{Hook, SCOPES};

/// Maximum number of concurrent calls, and of those for a single platform.
const CALLS: usize = 20;
const OF_ONE: usize = 4;

/// Reads the request and never answers.
async fn silent(mut stream: TcpStream) {
    while stream.read(&mut [0; 4_096]).await.is_ok_and(|read| read > 0) {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_receivers_delay_no_other_platform() {
    let app = TestApp::start().await;
    let (port, called) = listening(silent).await;
    let url = format!("http://127.0.0.1:{port}/hook");
    let telling = app.service.webhooks(&format!("http://{}", app.address), shard()).with_calls(CALLS);
    let _telling = Telling::by(telling);
    Telling::has_begun(&app).await;
    for _ in 0..6 {
        Hook::new(&app, &app.client, &url, &SCOPES).await;
    }
    live(&app).await;
    until("all are called that may be", async || (called.load(Ordering::SeqCst) >= OF_ONE).then_some(()))
        .await;

    let other = app.platform("Other", true).await;
    let receiver = Receiver::answering(|_| 200);
    let hook = Hook::new(&app, &other, &receiver.url, &SCOPES).await;
    other.verified("Bob").await;
    let all = expected(&app, &hook).await;
    assert!(!all.is_empty());
    until("the other is told", async || (by_record(&receiver.heard()) == all).then_some(())).await;
    let client = app.database.pg().client().await.expect("connects");
    let ended = "select count(*) from webhook_attempt where outcome <> 'taken'";
    let ended: i64 = client.query_one(ended, &[]).await.expect("counts").get(0);
    assert_eq!(ended, 0, "it waited for a call of the others");
    assert_eq!(called.load(Ordering::SeqCst), OF_ONE, "one platform has its share and no more");
}
