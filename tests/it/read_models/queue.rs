//! The queue: queued transactions are listed, freed when their cause ends, and taken by one worker only.

use daybook_domain::process::Process;
use daybook_domain::testing::fixture::{
    self, ANN, ANNS, DAN, OUTSIDE, PLATFORM, advance_clock, look_again, pay, permit, pull, queue, release,
};
use daybook_domain::time::DAY_MS;
use daybook_domain::transaction::QueueReason;
use daybook_domain::transaction::comment::Comment;
use daybook_domain::user::Permission;
use daybook_domain::{Command, States, Timestamp};
use daybook_projector::{Due, Error, Page, Question, Reads};
use daybook_tests::database::Database;

use super::story::{SHARD, Story, project};
use super::{FAR_FUTURE, NOBODY, PAGE, lock, shown, to_dan, unlock};

/// A query for all transactions that may be released.
const FREED: Question = Question {
    process: Process::Release,
    platform: None,
    now: FAR_FUTURE,
    after: (Timestamp::from_ms(0), 0),
    limit: 100,
};

async fn due(reads: &Reads, database: &Database, question: Question) -> Vec<Due> {
    let work = async |tx: &daybook_pg::Transaction<'_>| reads.lists().due(tx, SHARD, question).await;
    database.pg().tx("test.due", work).await.expect("answers")
}

/// Returns the numbers of the transactions, minus 1,000.
fn numbers(due: &[Due]) -> Vec<u128> {
    due.iter().map(|due| due.id - 1_000).collect()
}

#[tokio::test]
async fn freed_transactions_are_due_until_released() {
    let mut story = Story::begin().await;
    story.tell_all([lock(2_001), pay(1_001, 5), to_dan(1_002), pay(1_003, 5)]).await;
    let (reads, database) = story.projected().await;
    let freed = async |question| due(&reads, &database, question).await;
    assert_eq!(freed(FREED).await, vec![]);
    story.tell(permit(DAN, Permission::Receive)).await;
    let permitted = story.world.now();
    story.tell(unlock(2_002)).await;
    project(&reads).await;
    let all = freed(FREED).await;
    assert_eq!(numbers(&all), [2, 1, 3]);
    assert_eq!(all[0], Due { id: 1_002, due_at: permitted, step: 1 });
    assert_eq!(numbers(&freed(Question { now: permitted, ..FREED }).await), [2]);
    assert_eq!(numbers(&freed(Question { after: (all[1].due_at, 1_001), ..FREED }).await), [3]);
    story.tell_all([look_again(1_001).into(), look_again(1_002).into()]).await;
    project(&reads).await;
    assert_eq!(numbers(&freed(FREED).await), [3]);
}

#[tokio::test]
async fn payment_between_own_nodes_awaits_one_permission() {
    let mut story = Story::begin().await;
    story.tell(permit(ANN, Permission::Unverified)).await;
    story.tell_all([pull(1_001, 100), fixture::between(1_002, ANNS, OUTSIDE, 5).into()]).await;
    for number in [1_001, 1_002] {
        let held_back = story.world.transaction(fixture::transaction(number)).expect("is there");
        assert_eq!(held_back.queue, [QueueReason::SenderPermission, QueueReason::ReceiverPermission]);
    }
    let (reads, database) = story.projected().await;
    assert_eq!(reads.store().position(SHARD).await.expect("reads"), story.head().await);
    assert_eq!(due(&reads, &database, FREED).await, vec![]);
    story.tell(permit(ANN, Permission::SendAndReceive)).await;
    project(&reads).await;
    assert_eq!(numbers(&due(&reads, &database, FREED).await), [1, 2]);
}

#[tokio::test]
async fn comment_leaves_freed_transaction_due() {
    let mut story = Story::begin().await;
    story.tell_all([lock(2_001), pay(1_001, 5), unlock(2_002)]).await;
    let (reads, database) = story.projected().await;
    let freed = due(&reads, &database, FREED).await;
    assert_eq!(numbers(&freed), [1]);
    let id = fixture::transaction(1_001);
    let comment = fixture::sealed(7_001);
    story.tell(Command::Comment(Comment { id, platform: PLATFORM, by: ANN, node: ANNS, comment })).await;
    project(&reads).await;
    assert_eq!(reads.store().position(SHARD).await.expect("reads"), story.head().await);
    assert_eq!(due(&reads, &database, FREED).await, freed);
}

#[tokio::test]
async fn transaction_taken_by_worker_is_skipped() {
    let mut story = Story::begin().await;
    story.tell_all([lock(2_001), pay(1_001, 5), pay(1_002, 5), unlock(2_002)]).await;
    let (reads, database) = story.projected().await;
    let pg = database.pg();
    let take = async |tx: &daybook_pg::Transaction<'_>| {
        let due = reads.lists().due(tx, SHARD, Question { limit: 1, ..FREED }).await?;
        Ok::<_, Error>(numbers(&due))
    };
    let taken = pg
        .tx("test.one", async |tx: &daybook_pg::Transaction<'_>| {
            let one = take(tx).await?;
            Ok::<_, Error>((one, pg.tx("test.other", take).await?))
        })
        .await;
    assert_eq!(taken.expect("answers"), (vec![1], vec![2]));
}

#[tokio::test]
async fn advanced_clock_decides_what_is_due() {
    let mut story = Story::begin().await;
    let (reads, database) = story.projected().await;
    assert_eq!(reads.lists().clocks(SHARD).await.expect("reads"), vec![]);
    story.tell(advance_clock(DAY_MS)).await;
    story.tell_all([pay(1_001, 5), lock(2_001), pay(1_002, 5), unlock(2_002)]).await;
    project(&reads).await;
    assert_eq!(reads.lists().clocks(SHARD).await.expect("reads"), vec![(PLATFORM, DAY_MS)]);
    let wall = story.world.now();
    let ahead = wall.plus_ms(DAY_MS + fixture::PACE_MS);
    for (process, expected) in [(Process::Settlement, 1), (Process::Release, 2)] {
        let found = async |platform, now| {
            numbers(&due(&reads, &database, Question { process, platform, now, ..FREED }).await)
        };
        assert_eq!(found(None, wall).await, Vec::<u128>::new());
        assert_eq!(found(Some(PLATFORM), ahead).await, [expected]);
        assert_eq!(found(Some(NOBODY), ahead).await, Vec::<u128>::new());
        assert_eq!(found(None, ahead).await, [expected]);
    }
}

#[tokio::test]
async fn queue_is_listed_in_creation_order() {
    let mut story = Story::begin().await;
    story.tell_all([1_001, 1_002, 1_003, 1_004].map(|number| pay(number, 5))).await;
    story.tell_all([1_004, 1_003, 1_001].map(|number| queue(number, QueueReason::Risk).into())).await;
    let (reads, _database) = story.projected().await;
    let queued = async |page| {
        let (ids, total) = shown(reads.lists().queued(SHARD, PLATFORM, page).await.expect("lists"));
        (ids.iter().map(|id| id.as_u128() - 1_000).collect::<Vec<_>>(), total)
    };
    assert_eq!(queued(PAGE).await, (vec![1, 3, 4], 3));
    assert_eq!(queued(Page { number: 2, size: 2 }).await, (vec![4], 3));
    story.tell(release(1_003)).await;
    project(&reads).await;
    assert_eq!(queued(PAGE).await, (vec![1, 4], 2));
    assert_eq!(shown(reads.lists().queued(SHARD, NOBODY, PAGE).await.expect("lists")), (vec![], 0));
}
