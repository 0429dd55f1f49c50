//! Shutdown: the service first becomes not ready, then accepts no connections, and answers every accepted request.

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

/// Longest time for a shutdown, after which an orchestrator kills the process.
const MAX_DURATION: Duration = Duration::from_secs(30);

/// Returns status code and text of the readiness check at `address`, or none if no process listens.
async fn status(address: SocketAddr) -> Option<(u16, String)> {
    let answer = Call::new(address, "GET", "/health/ready").try_send().await.ok()?;
    Some((answer.status, answer.json()["status"].as_str().expect("a status").to_owned()))
}

/// Sends payments as long as the process is ready, like a client behind a load balancer.
async fn send(session: Session, from: String, to: String, ready: Arc<AtomicBool>, sent: Arc<AtomicUsize>) {
    while ready.load(Ordering::SeqCst) {
        session.transfer(&from, &transfer(&to, "0.01")).send().await.ok();
        sent.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_answers_every_accepted_request() {
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
        // During the drain the service still answers clients that do not know of the shutdown.
        session.transfer(&from, &transfer(&to, "0.01")).send().await.ok();
        let last = session.transfer(&from, &transfer(&to, "0.01")).send().await;
        assert_eq!(last.headers["connection"], "close", "its next request is for somebody else");
        ready.store(false, Ordering::SeqCst);
        for task in tasks {
            task.await.expect("everybody got an answer");
        }
        assert!(process.ended().success());
        assert!(asked.elapsed() < MAX_DURATION, "{:?}", asked.elapsed());
        total += sent.load(Ordering::SeqCst) + 2;
        process = Daybook::start(args());
    }
    let ada = at(&ada, process.address());
    assert_eq!(ada.transactions().await.len(), total + 1, "what was answered was done, and nothing else");
    process.kill();
}
