//! Concurrent use of one account: no call waits for a lock or retries, and the account is never overdrawn.

use daybook_tests::app::TestApp;
use daybook_tests::client::until;
use futures::stream::{self, StreamExt};

use super::own;

const CREATIONS: usize = 2_000;

/// Number of concurrent calls: as many as a test on a busy machine can send before the service times their
/// connections out.
const CONCURRENT_CALLS: usize = 500;

#[tokio::test]
async fn concurrent_creations_never_overdraw_an_account() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("1000.00").await, us.node("DEPOSIT-US").await);
    // Twice the balance. Each call succeeds at its first attempt: `sent` accepts only 200.
    let creations = stream::iter(0..CREATIONS).map(|_| us.sent(&from, &to, "1.00"));
    let ids: Vec<_> = creations.buffer_unordered(CONCURRENT_CALLS).collect().await;
    assert_eq!(ids.len(), CREATIONS);
    // Concurrent reads may be answered with 503.
    until("what there was has moved", async || {
        let answer = us.call("GET", &format!("/nodes/{to}/balance")).send().await;
        (answer.status == 200 && answer.raw("posted") == "1000.00").then_some(())
    })
    .await;
    let ended = us.ended().await;
    let count = |status: &str| ended.iter().filter(|one| one["recent_status"]["status"] == status).count();
    let credited = ended.len() - CREATIONS;
    assert_eq!((count("SETTLED"), count("CANCELED")), (1_000 + credited, 1_000));
    assert_eq!(us.numbers(&from).await, "0.00 0.00 0.00 0.00");
    assert_eq!(us.numbers(&to).await, "1000.00 0.00 1000.00 0.00");
    for page in 1.. {
        let path = format!("/nodes/{from}/entries?per_page=100&page={page}");
        let body = us.call("GET", &path).send().await.ok();
        let entries = body["entries"].as_array().expect("a list");
        assert!(entries.iter().all(|entry| entry["available"].as_f64().is_some_and(|number| number >= 0.0)));
        if entries.is_empty() {
            break;
        }
    }
}
