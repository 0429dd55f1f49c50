//! Freshness: what one process wrote, another one that answers from a replica shows at once.

use daybook_tests::bodies::node;
use daybook_tests::client::Session;
use serde_json::{Value, json};

use super::Machines;
use crate::restart::at;

/// Pays one cent through the writer `count` times. After each payment, returns the answers of the reader that differ from
/// the writer's. Nothing settles meanwhile, so only these payments change any of them.
async fn stale(writer: &Session, reader: &Session, (from, to): (&str, &str), count: usize) -> Vec<String> {
    let mut stale = vec![];
    for number in 0..count {
        let id = writer.sent(from, to, "0.01").await;
        // The first read after a write is the one that finds the replica behind.
        let early = if number % 2 == 0 { Some(reader.get_transaction(from, &id).await) } else { None };
        let listed = ids(&reader.transactions().await);
        let record = match early {
            Some(early) => early,
            None => reader.get_transaction(from, &id).await,
        };
        let (numbers, entries) = (reader.numbers(from).await, reader.entries(from).await);
        if listed != ids(&writer.transactions().await) || !listed.contains(&id) {
            stale.push(format!("a list of {} without {id}", listed.len()));
        }
        if record.json()["timeline"] != writer.get_transaction(from, &id).await.json()["timeline"] {
            stale.push(record.text());
        }
        if numbers != writer.numbers(from).await {
            stale.push(numbers);
        }
        if entries != writer.entries(from).await {
            stale.push(format!("{} entries", entries.len()));
        }
    }
    stale
}

fn ids(transactions: &[Value]) -> Vec<String> {
    transactions.iter().map(|one| one["_id"].as_str().expect("an id").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replica_answers_are_never_stale() {
    let Some(machines) = Machines::start() else { return };
    let ada = machines.client().verified("Ada Lovelace").await;
    let (from, to) = (ada.funded("100").await, ada.node("DEPOSIT-US").await);
    let reader = at(&ada, machines.reader.address());
    let none: Vec<String> = vec![];
    for delay in ["0", "20ms", "200ms", "0"] {
        machines.delay(delay).await;
        assert_eq!(stale(&ada, &reader, (&from, &to), 5).await, none, "replay delayed by {delay}");
    }
    machines.on_standby("select pg_wal_replay_pause()").await;
    assert_eq!(stale(&ada, &reader, (&from, &to), 2).await, none, "replay paused");
    machines.on_standby("select pg_wal_replay_resume()").await;
    machines.serving(1.0).await;
    assert_eq!(stale(&ada, &reader, (&from, &to), 2).await, none, "replay resumed");
    for answered in ["replica", "behind", "away"] {
        assert!(machines.answered(answered).await > 0.0, "{answered}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn revoked_key_fails_despite_paused_replica() {
    let Some(machines) = Machines::start() else { return };
    let ada = machines.client().verified("Ada Lovelace").await;
    let held = ada.funded("1").await;
    let reader = at(&ada, machines.reader.address());
    assert_eq!(reader.get_node(&held).await.status, 200);
    machines.on_standby("select pg_wal_replay_pause()").await;
    let locked = json!({"permission": "MAKE-IT-GO-AWAY"});
    assert_eq!(ada.call("PATCH", "").json(&locked).send().await.status, 200);
    let answer = reader.get_node(&held).await;
    assert_eq!(answer.status, ada.get_node(&held).await.status, "{}", answer.text());
    let made = reader.create_node(&node("DEPOSIT-US")).await;
    assert_ne!(made.status, 200, "a decision never depends on a replica: {}", made.text());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_feed_receives_events_of_others() {
    let Some(machines) = Machines::start() else { return };
    let ada = machines.client().verified("Ada Lovelace").await;
    let (from, to) = (ada.funded("10").await, ada.node("DEPOSIT-US").await);
    let reader = at(&ada, machines.reader.address());
    let page = async |after: &str| {
        let call = reader.client.call("GET", &format!("/events?after={after}&wait=20"));
        call.send().await.ok()
    };
    let end = page("end").await["cursor"].as_str().expect("a cursor").to_owned();
    machines.delay("50ms").await;
    let newest = ada.sent(&from, &to, "1").await;
    let fed = page(&end).await.to_string();
    assert!(fed.contains(&newest), "{fed}");
}
