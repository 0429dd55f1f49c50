//! Processes killed during calls that create several transactions: each call took effect completely or not at all.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use daybook_tests::bodies::transfer;
use daybook_tests::client::{Session, until};
use daybook_tests::database::Database;
use daybook_tests::http::Call;
use serde_json::{Value, json};

use crate::restart::{at, dev_client, dev_on, folder_with_key};

/// Number of transactions in one call.
const TOGETHER: usize = 5;

fn pay(session: &Session, from: &str, to: &str, key: &str) -> Call {
    let entries: Vec<Value> = (0..TOGETHER).map(|_| transfer(to, "0.01")).collect();
    let call = session.call("POST", &format!("/nodes/{from}/batch-trans"));
    call.json(&json!({"transactions": entries})).key(key)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_batch_call_is_atomic() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let mut process = dev_on(&database, folder.path());
    let ada = dev_client(process.address()).verified("Ada Lovelace").await;
    let (from, to) = (ada.funded("1000").await, ada.node("DEPOSIT-US").await);
    let before = ada.transactions().await.len();
    // Idempotency keys, each with true if its call was answered.
    let mut known: BTreeMap<String, bool> = BTreeMap::new();
    for round in 0..3 {
        let (session, answered) = (at(&ada, process.address()), Arc::new(AtomicUsize::new(0)));
        let load = |task: usize| {
            let (session, from, to, answered) = (session.clone(), from.clone(), to.clone(), answered.clone());
            tokio::spawn(async move {
                let mut known = vec![];
                for index in 0.. {
                    let key = format!("{round}-{task}-{index}");
                    let Ok(answer) = pay(&session, &from, &to, &key).try_send().await else {
                        known.push((key, false));
                        break;
                    };
                    let made = answer.ok()["trans"].clone();
                    let is_made = |outcome: &Value| outcome["_id"].is_string();
                    assert!(made.as_array().expect("a list").iter().all(is_made), "{made}");
                    known.push((key, true));
                    answered.fetch_add(1, Ordering::SeqCst);
                }
                known
            })
        };
        let tasks: Vec<_> = (0..4).map(load).collect();
        until("there is load", async || (answered.load(Ordering::SeqCst) >= 20).then_some(())).await;
        process.kill();
        for task in tasks {
            known.extend(task.await.expect("the load ends"));
        }
        process = dev_on(&database, folder.path());
    }
    let ada = at(&ada, process.address());
    assert!(known.values().any(|answered| !answered), "nothing was under way when the process was killed");
    let (mut done, mut lost) = (0, 0);
    for (key, answered) in &known {
        match pay(&ada, &from, &to, key).send().await {
            again if again.status == 409 => done += 1,
            again => {
                assert!(!answered, "{key} was answered and is not there");
                assert_eq!(again.ok()["trans_count"], TOGETHER);
                lost += 1;
            }
        }
    }
    assert_eq!(done + lost, known.len());
    assert_eq!(ada.transactions().await.len(), before + TOGETHER * known.len());
}
