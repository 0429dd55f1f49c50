//! An external signer, such as a KMS, that fails, hangs, or returns wrong signatures.

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
use daybook_tests::shard;

use super::receipt;

const SIGNS: usize = 0;
const FAILS: usize = 1;
const HANGS: usize = 2;
const LIES: usize = 3;

/// A signer with the key of all tests and switchable misbehaviour.
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
        // Simulates the delay of a network.
        tokio::time::sleep(Duration::from_millis(5)).await;
        match self.does.load(Ordering::Relaxed) {
            FAILS => Err("the key is unavailable".into()),
            HANGS => std::future::pending().await,
            LIES => Ok(self.signer.sign(b"another text")),
            _ => Ok(self.signer.sign(text.as_bytes())),
        }
    }
}

async fn write(client: &Client, name: &str) -> Answer {
    client.call("POST", "/users").json(&bodies::person(name)).key(name).send().await
}

/// While the signer is faulty, writes fail within 8 seconds and nothing is appended. A retry after recovery succeeds
/// and is signed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faulty_signer_never_loses_or_missigns_write() {
    let does = Arc::new(AtomicUsize::new(SIGNS));
    let keeper = Keeper { signer: signer(), does: Arc::clone(&does) };
    let keys = Keys { signers: Signers::new(Arc::new(keeper)), ..keys() };
    let database = Database::create().await;
    let pg = database.pg();
    let log = PostgresLog::new(database.pg());
    let app = TestApp::start_with_keys(database, pg, keys, SETTLE_AFTER).await;
    assert_eq!(write(&app.client, "Ada").await.status, 200);
    for (it, status, name) in [(FAILS, 503, "Bob"), (HANGS, 503, "Cid"), (LIES, 500, "Dot")] {
        let before = log.head(shard()).await.expect("a head");
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
        assert_eq!(log.head(shard()).await.expect("a head"), before, "{name}: nothing was appended");
        does.store(SIGNS, Ordering::Relaxed);
        let again = write(&app.client, name).await;
        assert_eq!(again.status, 200, "{name}: {again:?}");
        let receipt =
            receipt(&serde_json::from_slice(again.headers["x-daybook-receipt"].as_bytes()).expect("JSON"));
        receipt.verify(&[signer().key().clone()]).expect("is signed");
    }
    let commits = log.raw_commits(shard(), 0).await.expect("reads");
    assert!(commits.iter().all(|commit| commit.signature.is_some()));
}
