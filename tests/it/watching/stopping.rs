//! A stop: the service is not ready first, then takes nothing more, and whoever was let in gets an answer.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use daybook_tests::bodies::transfer;
use daybook_tests::client::{Session, until};
use daybook_tests::database::Database;
use daybook_tests::http::Call;
use daybook_tests::process::Daybook;

use crate::restart::{at, dev_args, dev_client, folder_with_key};

/// How long a stop may take, of which an orchestrator would kill after.
const AT_MOST: Duration = Duration::from_secs(30);

/// Whether the process at `address` says that it is ready, and what it says instead; none if nobody is there.
async fn status(address: SocketAddr) -> Option<(u16, String)> {
    let answer = Call::new(address, "GET", "/health/ready").try_send().await.ok()?;
    Some((answer.status, answer.json()["status"].as_str().expect("a status").to_owned()))
}

/// What a balancer's clients do: send as long as the process says that it is ready.
async fn send(session: Session, from: String, to: String, ready: Arc<AtomicBool>, sent: Arc<AtomicUsize>) {
    while ready.load(Ordering::SeqCst) {
        session.transfer(&from, &transfer(&to, "0.01")).send().await.ok();
        sent.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_is_not_ready_first_and_nobody_who_was_let_in_is_sent_away() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let args = || dev_args(&database, folder.path()).into_iter().chain(["--drain", "2s"].map(str::to_owned));
    let first = Daybook::start(args());
    let ada = dev_client(first.address()).verified("Ada Lovelace").await;
    let (from, to) = (ada.funded("1000").await, ada.node("DEPOSIT-US").await);
    let mut process = first;
    let mut total = 0;
    for _ in 0..3 {
        let address = process.address();
        let (ready, sent) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicUsize::new(0)));
        let session = at(&ada, address);
        let tasks: Vec<_> = (0..4)
            .map(|_| {
                tokio::spawn(send(session.clone(), from.clone(), to.clone(), ready.clone(), sent.clone()))
            })
            .collect();
        until("there is load", async || (sent.load(Ordering::SeqCst) >= 20).then_some(())).await;
        let asked = Instant::now();
        process.signal();
        let told =
            until("it is not ready", async || status(address).await.filter(|(code, _)| *code == 503)).await;
        assert_eq!(told.1, "stopping");
        // It says so, and serves whoever has not heard it yet.
        session.transfer(&from, &transfer(&to, "0.01")).send().await.ok();
        let last = session.transfer(&from, &transfer(&to, "0.01")).send().await;
        assert_eq!(last.headers["connection"], "close", "its next request is for somebody else");
        ready.store(false, Ordering::SeqCst);
        for task in tasks {
            task.await.expect("everybody got an answer");
        }
        assert!(process.ended().success());
        assert!(asked.elapsed() < AT_MOST, "{:?}", asked.elapsed());
        total += sent.load(Ordering::SeqCst) + 2;
        process = Daybook::start(args());
    }
    let ada = at(&ada, process.address());
    assert_eq!(ada.transactions().await.len(), total + 1, "what was answered was done, and nothing else");
    process.kill();
}
