//! The feed: the same notices as those of a subscription, for clients that poll.

use std::time::Duration;

use daybook_tests::app::TestApp;
use daybook_tests::client::Client;
use serde_json::{Value, json};

use super::delivered::live;
use super::{Hook, SCOPES};

/// Returns one part of the feed.
async fn part(client: &Client, query: &str) -> Value {
    client.call("GET", &format!("/events?{query}")).send().await.ok()
}

fn cursor(part: &Value) -> &str {
    part["cursor"].as_str().expect("a cursor")
}

fn events(part: &Value) -> Vec<Value> {
    part["events"].as_array().expect("events").clone()
}

/// Returns all events after `after`, read in parts of at most `limit` events.
async fn rest(client: &Client, after: &str, limit: usize) -> Vec<Value> {
    let (mut all, mut after) = (vec![], after.to_owned());
    loop {
        let part = part(client, &format!("per_page={limit}&after={after}")).await;
        assert!(events(&part).len() <= limit && part["events_count"] == events(&part).len(), "{part}");
        all.extend(events(&part));
        cursor(&part).clone_into(&mut after);
        if part["has_more"] == false {
            return all;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn feed_equals_deliveries_of_full_subscription() {
    let app = TestApp::start().await;
    let stranger = app.platform("Other", true).await;
    let hook = Hook::all(&app).await;
    let theirs = Hook::new(&app, &stranger, "http://localhost:9/hook", &SCOPES).await;
    stranger.verified("Bob").await;
    live(&app).await;
    stranger.verified("Eve").await;
    for (client, hook) in [(&app.client, &hook), (&stranger, &theirs)] {
        let told: Vec<Value> = hook.everything(&app).await.into_iter().map(|told| told.body).collect();
        assert!(told.len() > 3);
        for limit in [1, 3, 100] {
            assert_eq!(rest(client, "", limit).await, told, "{limit} at a time");
        }
    }
    let payments = part(&app.client, "scope=TRANS%7CPOST&per_page=100").await;
    let functions: Vec<_> =
        events(&payments).iter().map(|event| event["webhook_meta"]["function"].clone()).collect();
    assert!(!functions.is_empty() && functions.iter().all(|name| name == "TRANS|POST"), "{payments}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn feed_cursor_belongs_to_one_log() {
    let app = TestApp::start().await;
    app.client.verified("Ada").await;
    let end = part(&app.client, "after=end").await;
    assert_eq!((events(&end), &end["has_more"]), (vec![], &json!(false)));
    assert_eq!(rest(&app.client, cursor(&end), 5).await, Vec::<Value>::new());
    app.client.verified("Bea").await;
    let later = rest(&app.client, cursor(&end), 5).await;
    assert!(later.iter().all(|event| event["_rest"]["legal_names"] == json!(["Bea"])), "{later:?}");
    assert_eq!(later[0]["webhook_meta"]["function"], "USERS|POST");

    let other = TestApp::start().await;
    for name in ["Ada", "Bea", "Cleo"] {
        other.client.verified(name).await;
    }
    let stranger = app.platform("Other", true).await;
    // A cursor of another log, one of another platform in the same log, and one of a log that is longer than this one.
    let far = other.client.call("GET", "/events?after=end").send().await.ok();
    let foreign = [(&other.client, cursor(&end)), (&stranger, cursor(&end)), (&app.client, cursor(&far))];
    for (client, cursor) in foreign {
        let refused = client.call("GET", &format!("/events?after={cursor}")).send().await;
        assert_eq!(refused.status, 400);
        assert_eq!(refused.failure()["error"]["code"], "cursor_of_another_log");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_feed_call_returns_on_new_event() {
    let app = TestApp::start().await;
    let stranger = app.platform("Other", true).await;
    let end = part(&app.client, "after=end").await;
    let query = format!("wait=30&after={}", cursor(&end));
    let waiting = async { part(&app.client, &query).await };
    let happening = async {
        // Events of another platform do not end the wait.
        stranger.verified("Eve").await;
        app.client.verified("Ada").await;
    };
    let (part, ()) =
        tokio::time::timeout(Duration::from_secs(20), async { tokio::join!(waiting, happening) })
            .await
            .expect("is told before it has waited long enough");
    assert_eq!(events(&part)[0]["_rest"]["legal_names"], json!(["Ada"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_feed_call_times_out_or_stops() {
    let app = TestApp::start().await;
    let end = part(&app.client, "after=end").await;
    let nothing = part(&app.client, &format!("wait=1&after={}", cursor(&end))).await;
    assert_eq!((events(&nothing), &nothing["has_more"]), (vec![], &json!(false)));
    let query = format!("wait=30&after={}", cursor(&nothing));
    let waiting = async { part(&app.client, &query).await };
    let stopping = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        app.service.app("http://unused").feed.close();
    };
    let (nothing, ()) =
        tokio::time::timeout(Duration::from_secs(20), async { tokio::join!(waiting, stopping) })
            .await
            .expect("is answered when the service stops");
    assert_eq!(events(&nothing), Vec::<Value>::new());
}
