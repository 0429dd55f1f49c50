//! A fork: two copies of a log that continue separately. Each is consistent with itself, neither with the other.

use std::sync::Arc;

use daybook_domain::testing::fixture;
use daybook_engine::Audit;
use daybook_log::Head;
use daybook_log::postgres::PostgresLog;
use daybook_proof::{Checkpoint, consistency};
use daybook_tests::app::{PUBLIC_KEY, signer};
use daybook_tests::database::Database;
use daybook_tests::process::run;
use daybook_tests::shard;
use uuid::Uuid;

use super::anchored::Anchored;
use crate::read_models::story::Story;

/// A copy of a log with everything that a bundle contains. It continues under the same signing key.
async fn copy(of: &Anchored) -> Anchored {
    let database = Database::create().await;
    let bare = PostgresLog::new(database.pg());
    let events = of.log.raw_events(shard(), 0, u64::MAX, true).await.expect("reads");
    let commits = of.log.raw_commits(shard(), 0).await.expect("reads");
    bare.adopt(shard(), Uuid::from_u128(7)).await.expect("is empty");
    bare.copy_in(shard(), Head::default(), &events, &commits).await.expect("is copied");
    let log = bare.signed_by(Arc::new(signer()));
    let audit = Audit::new(log.clone(), signer().into()).of(shard()).expect("is the first");
    let story = Story::after(Arc::new(log.clone())).await;
    Anchored { database, log, audit, folder: tempfile::tempdir().expect("a folder"), story }
}

async fn head(log: &Anchored) -> Checkpoint {
    let made = log.audit.make_checkpoint().await.expect("makes");
    Checkpoint::open(made.note.as_bytes(), &[signer().key().clone()]).expect("is signed")
}

/// Runs `daybook log verify` of a log with an anchor. Returns exit code and standard output.
fn verify(log: &Anchored, anchor: &Anchored) -> (Option<i32>, String) {
    let (url, folder) = (log.database.url(), anchor.folder.path().display().to_string());
    let said = run(["log", "verify", "--key", PUBLIC_KEY, "--database-url", &url, "--anchor", &folder]);
    (said.status.code(), String::from_utf8_lossy(&said.stdout).into_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forked_histories_are_distinguished() {
    let mut one = Anchored::new().await;
    let mut other = copy(&one).await;
    let begin = head(&one).await;
    one.story.tell_all((4_000..4_007).map(|number| fixture::pay(number, 5))).await;
    other.story.tell_all((4_000..4_007).map(|number| fixture::pay(number, 6))).await;
    one.keep().await;
    other.keep().await;
    let (of_one, of_other) = (head(&one).await, head(&other).await);
    assert_eq!(of_one.head.size, of_other.head.size, "as many events");
    assert_ne!(of_one.head.root, of_other.head.root, "not the same");
    // One of the two logs continues.
    other.story.tell_all((5_000..5_007).map(|number| fixture::pay(number, 6))).await;
    other.keep().await;
    let longer = head(&other).await;
    // Each log is consistent with the common beginning, and the longer one with its own past.
    for (log, from, to) in [(&one, &begin, &of_one), (&other, &begin, &longer), (&other, &of_other, &longer)]
    {
        let proof = log.audit.consistency(from.head.size, to.head.size).await.expect("proves");
        from.verify_grown(to, &proof.expect("both are there")).expect("is its beginning");
    }
    // No consistency proof of either log leads from one log to the other.
    for (from, to) in [(&of_one, &of_other), (&of_one, &longer), (&of_other, &of_one)] {
        for log in [&one, &other] {
            let proof = log.audit.consistency(from.head.size, to.head.size).await.expect("proves");
            let proof = proof.unwrap_or_default();
            assert!(consistency::verify(&proof, &from.head, &to.head).is_err(), "{from:?} {to:?}");
        }
    }
    for (log, anchor, is_own) in
        [(&one, &one, true), (&other, &other, true), (&one, &other, false), (&other, &one, false)]
    {
        let (code, text) = verify(log, anchor);
        assert_eq!(code, Some(i32::from(!is_own)), "{text}");
        assert_eq!(text.contains("it was signed for other events"), !is_own, "{text}");
        let place = format!("position {}, {}", of_one.head.size, anchor.folder.path().display());
        assert_eq!(text.contains(&place), !is_own, "{place} in {text}");
    }
}
