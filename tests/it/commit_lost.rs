//! COMMIT statements, or their answers, lost on the network: the outcome is unknown until the writer resolves it
//! correctly.

use std::sync::Arc;
use std::time::Duration;

use daybook_log::conformance::{self, NOON_MS, SHARD, event, holds, writer};
use daybook_log::postgres::PostgresLog;
use daybook_log::{Appender, Batch, Error, Head, Log};
use daybook_tests::database::Database;
use daybook_tests::proxy::{self, Proxy, Rule};
use tokio::time::timeout;

/// Time to wait for an event that must not happen.
const NO_EVENT_WINDOW: Duration = Duration::from_millis(50);
/// Time within which an append has sent COMMIT, on a busy machine too.
const SEND_WINDOW: Duration = Duration::from_secs(1);

/// One log, reached directly and through a proxy that can lose messages.
struct Ways {
    direct: Arc<dyn Log>,
    proxied: Arc<dyn Log>,
    proxy: Proxy,
}

impl Ways {
    async fn new() -> Self {
        let database = Database::create().await;
        let (proxy, pg) = proxy::before(&database.config()).await;
        Self {
            direct: Arc::new(PostgresLog::new(database.pg())),
            proxied: Arc::new(PostgresLog::new(pg)),
            proxy,
        }
    }
}

/// A batch of two events in a stream of its own, with one idempotency key.
fn batch(number: u64) -> Batch {
    let stream = u128::from(number);
    let mut batch = conformance::batch(stream, NOON_MS, vec![event(stream, 1), event(stream, 2)]);
    batch.keys = vec![conformance::key(u8::try_from(number % 256).unwrap_or_default())];
    batch.keys[0].key[..8].copy_from_slice(&number.to_be_bytes());
    batch
}

async fn lock(writer: &mut dyn Appender) -> Head {
    writer.lock(&[], NOON_MS).await.expect("the lock is free").head
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hundred_lost_commits_lose_or_duplicate_nothing() {
    const COUNT: u64 = 100;
    let ways = Ways::new().await;
    // Another writer, so that the number of a lost commit is often taken by it.
    let direct = Arc::clone(&ways.direct);
    let other = tokio::spawn(async move {
        let mut writer = writer(&direct).await;
        for number in COUNT..2 * COUNT {
            conformance::append(&mut *writer, batch(number)).await;
            tokio::task::yield_now().await;
        }
    });

    let mut writer = writer(&ways.proxied).await;
    for number in 0..COUNT {
        let rule = if number % 2 == 0 { Rule::LoseAnswer } else { Rule::LoseCommit };
        let head = lock(&mut *writer).await;
        ways.proxy.set(rule);
        let lost = writer.append(batch(number)).await;
        assert!(matches!(lost, Err(Error::Unknown(_))), "{lost:?}");
        assert!(
            *ways.proxied.watch(SHARD).borrow() <= head.position,
            "the watch shows a commit whose outcome is unknown"
        );
        ways.proxy.set(Rule::Pass);
        let found = writer.resolve(head.commit_no + 1, batch(number).id).await.expect("an answer");
        assert_eq!(found.is_some(), rule == Rule::LoseAnswer, "batch {number}");
        match found {
            Some(found) => assert!(*ways.proxied.watch(SHARD).borrow() >= found.position),
            None => _ = conformance::append(&mut *writer, batch(number)).await,
        }
    }
    other.await.expect("the other process is well");

    assert_eq!(ways.proxy.lost(), COUNT);
    let head = holds(&ways.direct, 4 * COUNT).await;
    assert_eq!(head.commit_no, 2 * COUNT);
    let log = ways.direct.read(SHARD, 0, head.position).await.expect("a page");
    let mut streams: Vec<_> =
        log.chunks(2).map(|pair| [0, 1].map(|i| pair[i].event.stream.as_u128())).collect();
    streams.sort_unstable();
    assert!(streams.into_iter().eq((0..2 * u128::from(COUNT)).map(|stream| [stream, stream])));
}

#[tokio::test]
async fn resolve_waits_for_a_late_commit() {
    let ways = Ways::new().await;
    let mut writer = writer(&ways.proxied).await;
    lock(&mut *writer).await;
    ways.proxy.set(Rule::HoldCommit);
    timeout(SEND_WINDOW, writer.append(batch(1))).await.expect_err("the answer is not there");

    let batch_id = batch(1).id;
    let mut resolving = std::pin::pin!(writer.resolve(1, batch_id));
    timeout(NO_EVENT_WINDOW, resolving.as_mut()).await.expect_err("the outcome is still unknown");
    ways.proxy.set(Rule::Pass);
    let found = resolving.await.expect("an answer").expect("it was committed");
    assert_eq!(holds(&ways.direct, 2).await, found);
}

#[tokio::test]
async fn connection_lost_before_commit_appends_nothing() {
    let ways = Ways::new().await;
    let mut writer = writer(&ways.proxied).await;
    lock(&mut *writer).await;
    ways.proxy.set(Rule::Cut);
    let lost = writer.append(batch(1)).await;
    assert!(matches!(lost, Err(Error::Unavailable(_))), "{lost:?}");
    let refused = writer.lock(&[], NOON_MS).await;
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    holds(&ways.direct, 0).await;

    ways.proxy.set(Rule::Pass);
    conformance::append(&mut *writer, batch(1)).await;
    holds(&ways.direct, 2).await;
}

#[tokio::test]
async fn writer_with_lost_packets_times_out() {
    let ways = Ways::new().await;
    let mut writer = writer(&ways.proxied).await;
    lock(&mut *writer).await;
    ways.proxy.set(Rule::BlackHole);
    let lost = timeout(Duration::from_secs(8), writer.append(batch(1))).await.expect("it gives up by itself");
    assert!(matches!(lost, Err(Error::Unavailable(_))), "{lost:?}");

    ways.proxy.set(Rule::Pass);
    conformance::append(&mut *writer, batch(1)).await;
    assert_eq!(holds(&ways.direct, 2).await.commit_no, 1);
}
