use daybook_domain::testing::fixture;
use daybook_log::memory::MemoryLog;

use super::*;
use crate::batch::{Submitted, only};

fn writers(log: &Arc<MemoryLog>, idle_end: Duration) -> Writers {
    let (metrics, heartbeats) = (Metrics::default(), Heartbeats::default());
    Writers { idle_end, ..Writers::new(log.clone(), 1 << 20, metrics, heartbeats) }
}

/// Submits the first command of a ledger to `shard`.
async fn submit(writers: &Writers, shard: Shard) -> Result<Submitted, SubmitError> {
    let command = fixture::bank().into_iter().next().expect("a command");
    let (reply, answer) = oneshot::channel();
    writers.submit(shard, vec![(Call::of(shard), command)], None, (reply, Span::none()))?;
    only(answer.await.expect("it is answered"))
}

fn is_running(writers: &Writers, shard: Shard) -> bool {
    writers.queue_of(shard).running().is_some()
}

#[tokio::test]
async fn writers_of_two_shards_run_apart() {
    let log = Arc::new(MemoryLog::new());
    let writers = writers(&log, IDLE_END);
    for shard in [1, 2] {
        submit(&writers, shard).await.expect("it is recorded");
    }
    let heads = [log.head(1).await, log.head(2).await, log.head(3).await];
    let commits = heads.map(|head| head.expect("a head").commit_no);
    assert_eq!(commits, [1, 1, 0]);
    assert!(!is_running(&writers, 3));
}

#[tokio::test]
async fn idle_writer_ends_and_starts_again() {
    let writers = writers(&Arc::default(), Duration::from_millis(5));
    let first = submit(&writers, 2).await.expect("it is recorded");
    assert!(first.is_recorded());
    while is_running(&writers, 2) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(writers.is_writing(2), "it starts with the next call");
    let again = submit(&writers, 2).await.expect("it is decided");
    assert!(!again.is_recorded(), "the state of the first call is read from the log");
}

#[tokio::test]
async fn writer_started_before_stays() {
    let writers = writers(&Arc::default(), Duration::from_millis(5));
    writers.start(1).expect("a thread");
    submit(&writers, 1).await.expect("it is recorded");
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(is_running(&writers, 1));
}

#[tokio::test]
async fn call_at_the_end_is_answered() {
    let writers = writers(&Arc::default(), Duration::from_micros(200));
    for round in 0..300_u64 {
        tokio::time::sleep(Duration::from_micros(round % 30 * 20)).await;
        submit(&writers, 1).await.expect("it is decided");
    }
}

#[tokio::test]
async fn stopped_shard_leaves_others_alone() {
    let writers = writers(&Arc::default(), IDLE_END);
    let _ = writers.queue_of(2).stopped.set(WriterStopReason::Corrupt);
    assert!(matches!(submit(&writers, 2).await, Err(SubmitError::Unavailable)));
    assert!(!writers.is_writing(2) && writers.is_writing(1));
    assert!(submit(&writers, 1).await.is_ok());
}

#[test]
fn full_queue_of_one_shard_admits_others() {
    let writers = writers(&Arc::default(), IDLE_END);
    let command = fixture::bank().into_iter().next().expect("a command");
    let asked = |shard| vec![(Call::of(shard), command.clone()); 4_096];
    let taken = writers.queue_of(2).limiter.take(&asked(2)).expect("it is empty");
    assert_eq!(writers.waiting(2), (4_096, 4_096));
    assert!(writers.are_full(), "no other shard had a call");
    let other = writers.queue_of(1).limiter.take(&asked(1)).expect("it is empty");
    assert!(writers.are_full());
    drop(other);
    assert!(!writers.are_full());
    drop(taken);
}

#[test]
fn calls_of_two_shards_are_refused() {
    let command = fixture::bank().into_iter().next().expect("a command");
    let asked = [1, 2].map(|shard| (Call::of(shard), command.clone()));
    assert!(matches!(crate::batch::shard_of(&asked), Err(SubmitError::Failed)));
    assert!(matches!(crate::batch::shard_of(&asked[1..]), Ok(2)));
}
