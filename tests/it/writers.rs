//! Several processes on one database: no overdraft, no key used twice, and no write lost with the answer to COMMIT.

use std::time::Duration;

use daybook_domain::{Kind, NodeId};
use daybook_log::postgres::PostgresLog;
use daybook_log::{Batch, EncodedEvent, Log};
use daybook_pg::Pg;
use daybook_tests::app::{SETTLE_AFTER, TestApp};
use daybook_tests::bodies::transfer;
use daybook_tests::client::{Session, until};
use daybook_tests::database::Database;
use daybook_tests::http::Answer;
use daybook_tests::proxy::{self, Rule};
use daybook_tests::shard;
use futures::stream::{self, StreamExt};
use serde_json::json;
use uuid::Uuid;

use crate::restart::at;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_racing_for_one_account_never_overdraw() {
    let first = TestApp::start().await;
    let second = TestApp::start_on(first.database.clone(), fresh(&first.database), SETTLE_AFTER).await;
    let us = first.client.own_session().await;
    let both = [us.clone(), at(&us, second.address)];
    let (from, to) = (us.funded("50.00").await, us.node("DEPOSIT-US").await);
    let before = us.transactions().await.len();
    let answers: Vec<(usize, Answer)> = stream::iter(0..200)
        .map(async |index: usize| {
            let key = format!("k{index}");
            (index, both[index % 2].transfer(&from, &transfer(&to, "1.00")).key(&key).send().await)
        })
        .buffer_unordered(16)
        .collect()
        .await;
    for (index, answer) in &answers {
        let id = &answer.ok()["_id"];
        // The key is also known to the other process.
        let again = both[(index + 1) % 2].transfer(&from, &transfer(&to, "1.00")).key(&format!("k{index}"));
        assert_eq!(again.send().await.refused(409, "400")["original_id"], *id);
    }
    let all = both[1].ended().await;
    assert_eq!(all.len(), before + 200);
    let settled = all.iter().filter(|one| one["recent_status"]["status"] == "SETTLED").count();
    assert_eq!(settled, before + 50);
    for session in &both {
        assert_eq!(
            (session.balance(&from).await, session.balance(&to).await),
            ("0.00".into(), "50.00".into())
        );
    }
    second.stop().await;
    first.stop().await;
}

#[tokio::test]
async fn cached_reads_follow_commits_of_other_process() {
    let first = TestApp::start().await;
    let second = TestApp::start_on(first.database.clone(), fresh(&first.database), SETTLE_AFTER).await;
    let us = first.client.own_session().await;
    let both = [us.clone(), at(&us, second.address)];
    let (from, to) = (us.funded("50.00").await, us.node("DEPOSIT-US").await);
    for round in 0..6 {
        // The caches of both processes hold older states of both nodes and of the previous payment.
        let (payer, other) = (&both[round % 2], &both[(round + 1) % 2]);
        let paid = payer.sent(&from, &to, "1.00").await;
        other.when(&from, &paid, "SETTLED").await.ok();
        let left = format!("{}.00", 49 - round);
        for session in [other, payer, other] {
            assert_eq!(session.balance(&from).await, left, "after payment {round}");
        }
        for name in [format!("Lent {round}"), format!("Spent {round}")] {
            let path = format!("/nodes/{from}/trans/{paid}");
            payer.call("PATCH", &path).json(&json!({ "comment": name })).send().await.ok();
            for session in [other, payer] {
                let shown = session.get_transaction(&from, &paid).await.ok();
                assert!(shown.to_string().contains(&name), "{shown}");
            }
        }
    }
    second.stop().await;
    first.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn key_used_at_two_processes_executes_once() {
    let first = TestApp::start().await;
    let second = TestApp::start_on(first.database.clone(), fresh(&first.database), SETTLE_AFTER).await;
    let us = first.client.own_session().await;
    let both = [us.clone(), at(&us, second.address)];
    let (from, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
    for round in 0..20 {
        let key = format!("round-{round}");
        let call = |index: usize| both[index].transfer(&from, &transfer(&to, "1")).key(&key).send();
        let answers = tokio::join!(call(0), call(1));
        let (done, refused) = if answers.0.status == 200 { answers } else { (answers.1, answers.0) };
        assert_eq!(refused.refused(409, "400")["original_id"], done.ok()["_id"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_commit_answers_lose_and_duplicate_nothing() {
    const LOSSES: u64 = 100;
    let database = Database::create().await;
    let (proxy, through) = proxy::before(&database.config()).await;
    let shaky = TestApp::start_on(database.clone(), through, SETTLE_AFTER).await;
    let steady = TestApp::start_on(database.clone(), database.pg(), SETTLE_AFTER).await;
    let us = at(&shaky.client.own_session().await, steady.address);
    let both = [at(&us, shaky.address), us.clone()];
    let (from, to) = (us.funded("100000").await, us.node("DEPOSIT-US").await);
    let before = us.transactions().await.len();

    let storm = async {
        while proxy.lost() < LOSSES {
            proxy.set(if proxy.lost() % 2 == 0 { Rule::LoseAnswer } else { Rule::LoseCommit });
            tokio::time::sleep(Duration::from_millis(5)).await;
            proxy.set(Rule::Pass);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let load = async {
        let mut index = 0_usize;
        let mut acknowledged = Vec::new();
        while proxy.lost() < LOSSES {
            let round = stream::iter(index..index + 8).map(async |index: usize| {
                (index, send_until_known(&both[index % 2], &from, &to, index).await)
            });
            acknowledged.extend(round.buffer_unordered(8).collect::<Vec<_>>().await);
            index += 8;
        }
        acknowledged
    };
    let ((), acknowledged) = tokio::join!(storm, load);
    proxy.set(Rule::Pass);

    let all = us.ended().await;
    assert_eq!(all.len(), before + acknowledged.len());
    for (index, id) in &acknowledged {
        assert_eq!(all.iter().filter(|one| one["_id"] == **id).count(), 1);
        let again = us.transfer(&from, &transfer(&to, "0.01")).key(&format!("k{index}")).send().await;
        assert_eq!(again.refused(409, "400")["original_id"], **id);
    }
    let cents = acknowledged.len();
    let money = |cents: usize| format!("{}.{:02}", cents / 100, cents % 100);
    assert_eq!(us.balance(&to).await, money(cents));
    assert_eq!(us.balance(&from).await, money(10_000_000 - cents));
}

/// Sends a payment until its outcome is known. After a 503 it repeats the call with the same key.
async fn send_until_known(session: &Session, from: &str, to: &str, index: usize) -> String {
    until("the answer is known", async || {
        let answer = session.transfer(from, &transfer(to, "0.01")).key(&format!("k{index}")).send().await;
        let id = match answer.status {
            200 => answer.ok()["_id"].clone(),
            409 => answer.refused(409, "400")["original_id"].clone(),
            503 => return None,
            status => panic!("{status} {}", answer.text()),
        };
        Some(id.as_str().expect("an id").to_owned())
    })
    .await
}

/// Returns a new pool on the same database.
pub(crate) fn fresh(database: &Database) -> Pg {
    Pg::new(database.config()).expect("the pool is well configured")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unknown_event_blocks_its_own_stream_only() {
    let app = TestApp::start().await;
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let newer = us.node("DEPOSIT-US").await;
    append_unknown(&PostgresLog::new(app.database.pg()), &newer).await;
    us.sent(&from, &to, "1").await;
    let answers = [
        us.transfer(&from, &transfer(&newer, "1")).send().await,
        us.transfer(&from, &transfer(&to, "1")).send().await,
    ];
    // The stream with the unknown event is an error, and other streams are not affected.
    assert_eq!(answers.map(|answer| answer.status), [500, 200]);
}

/// Appends an event of an unknown type to the stream of `node`, as a future release may do.
async fn append_unknown(log: &PostgresLog, node: &str) {
    let node: NodeId = node.parse().expect("an id");
    let mut appender = log.appender(shard(), Uuid::from_u128(1)).await.expect("a connection");
    let head = appender.lock(&[], 0).await.expect("the lock").head;
    let event = EncodedEvent {
        event_id: Uuid::from_u128(2),
        stream: Uuid::from(node),
        stream_kind: Kind::Node.code(),
        version: 2,
        event_type: i16::MAX,
        schema_version: 1,
        effective_at_ms: None,
        actor: None,
        cause_id: Uuid::from_u128(3),
        platform: Uuid::from_u128(4),
        data: b"{}".to_vec(),
        sealed: None,
    };
    let batch = Batch {
        id: Uuid::from_u128(5),
        recorded_at_ms: head.recorded_at_ms,
        events: vec![event],
        keys: vec![],
    };
    appender.append(batch).await.expect("appended");
}
