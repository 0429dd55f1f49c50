//! A key that somebody else keeps, such as a KMS: it fails, hangs and lies, and nothing is lost or signed wrongly.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use daybook_cli::keys::Keys;
use daybook_log::Log as _;
use daybook_log::postgres::PostgresLog;
use daybook_log::{Sign, Signers};
use daybook_proof::{Key, Signature, Signer};
use daybook_tests::app::{SETTLE_AFTER, TestApp, keys, signer};
use daybook_tests::bodies;
use daybook_tests::client::Client;
use daybook_tests::database::Database;
use daybook_tests::http::Answer;

use super::{SHARD, receipt};

const SIGNS: usize = 0;
const FAILS: usize = 1;
const HANGS: usize = 2;
const LIES: usize = 3;

/// Keeps the key of all tests, and does as it is told.
struct Keeper {
    signer: Signer,
    does: Arc<AtomicUsize>,
}

#[async_trait]
impl Sign for Keeper {
    fn key(&self) -> &Key {
        self.signer.key()
    }

    async fn sign(&self, text: &str) -> Result<Signature, Box<dyn std::error::Error + Send + Sync>> {
        // As over a network: the answer is of another moment than the question.
        tokio::time::sleep(Duration::from_millis(5)).await;
        match self.does.load(Ordering::Relaxed) {
            FAILS => Err("the key is not to be had".into()),
            HANGS => std::future::pending().await,
            LIES => Ok(self.signer.sign(b"another text")),
            _ => Ok(self.signer.sign(text.as_bytes())),
        }
    }
}

async fn write(client: &Client, name: &str) -> Answer {
    client.call("POST", "/users").json(&bodies::person(name)).key(name).send().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_keeps_the_key_may_fail_hang_and_lie_and_no_write_is_lost_or_signed_wrongly() {
    let does = Arc::new(AtomicUsize::new(SIGNS));
    let keeper = Keeper { signer: signer(), does: Arc::clone(&does) };
    let keys = Keys { signers: Signers::new(Arc::new(keeper)), ..keys() };
    let database = Database::create().await;
    let pg = database.pg();
    let log = PostgresLog::new(database.pg());
    let app = TestApp::start_with_keys(database, pg, keys, SETTLE_AFTER).await;
    assert_eq!(write(&app.client, "Ada").await.status, 200);
    for (it, status, name) in [(FAILS, 503, "Bob"), (HANGS, 503, "Cid"), (LIES, 500, "Dot")] {
        let before = log.head(SHARD).await.expect("a head");
        does.store(it, Ordering::Relaxed);
        let begun = Instant::now();
        let answer = write(&app.client, name).await;
        assert_eq!(answer.status, status, "{name}: {answer:?}");
        assert!(begun.elapsed() < Duration::from_secs(8), "{name}");
        assert_eq!(
            app.client.audit("/checkpoint").send().await.status,
            503,
            "{name}: the first is still to come"
        );
        assert_eq!(log.head(SHARD).await.expect("a head"), before, "{name}: nothing was appended");
        does.store(SIGNS, Ordering::Relaxed);
        let again = write(&app.client, name).await;
        assert_eq!(again.status, 200, "{name}: {again:?}");
        let receipt =
            receipt(&serde_json::from_slice(again.headers["x-daybook-receipt"].as_bytes()).expect("JSON"));
        receipt.verify(&[signer().key().clone()]).expect("is signed");
    }
    let commits = log.raw_commits(SHARD, 0).await.expect("reads");
    assert!(commits.iter().all(|commit| commit.signature.is_some()));
}
