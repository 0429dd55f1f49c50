//! Bank accounts, bank files, and operations of operators.

use daybook_domain::posting::Rail;
use daybook_domain::testing::fixture::{
    self, CUSTODY, OTTO, PLATFORM, advance_clock, credit, debit, pay_out, pull, review,
};
use daybook_domain::time::DAY_MS;
use daybook_domain::transaction::Direction;
use daybook_domain::{Key, OperationId, State, States, TransactionId};
use daybook_projector::Page;
use uuid::Uuid;

use super::story::{SHARD, Story, project};
use super::{PAGE, all_sorts, cut, file, lock, locks_need_approval, shown};

#[tokio::test]
async fn bank_accounts_and_operations_are_always_current() {
    let mut story = Story::begin().await;
    let (reads, _database) = story.reads().await;
    story.tell_all(all_sorts()).await;
    let operation = Key::from(OperationId::from_u128(2_004));
    let keys = [CUSTODY.into(), operation];
    for _ in 0..2 {
        let found = reads.aggregates().records(SHARD, &keys).await.expect("reads");
        for key in keys {
            assert_eq!(found.get(key).map(|found| &found.state), story.world.state(key));
        }
        project(&reads).await;
    }
    // A row that is one event behind the log.
    story.tell(review(2_004, OTTO, false)).await;
    let found = reads.aggregates().record(SHARD, operation).await.expect("reads").map(|found| found.state);
    assert_eq!(found.as_ref(), story.world.state(operation));
    assert!(matches!(found, Some(State::Operation(found)) if found.reviewer == Some(OTTO)));
}

#[tokio::test]
async fn operations_and_waiting_ones_are_listed() {
    let mut story = Story::begin().await;
    story.tell_all([locks_need_approval(2_009), lock(2_003), lock(2_001), lock(2_002)]).await;
    story.tell(review(2_001, OTTO, true)).await;
    let (reads, _database) = story.projected().await;
    let listed = async |waiting_only, page| {
        let listed = reads.lists().operations(SHARD, PLATFORM, waiting_only, page).await.expect("lists");
        let numbers: Vec<_> = listed.items.iter().map(|id| id.as_u128() - 2_000).collect();
        (numbers, listed.total)
    };
    assert_eq!(listed(false, PAGE).await, (vec![9, 3, 1, 2], 4));
    assert_eq!(listed(true, PAGE).await, (vec![3, 2], 2));
    assert_eq!(listed(true, Page { number: 2, size: 1 }).await, (vec![2], 2));
    assert_eq!(listed(false, Page { number: 3, size: 2 }).await, (vec![], 4));
}

#[tokio::test]
async fn file_and_trace_lookups_find_their_records() {
    let mut story = Story::begin().await;
    let (reads, _database) = story.reads().await;
    story.tell_all([pull(1_001, 100), debit(1_001), advance_clock(DAY_MS).into()]).await;
    story.tell(cut(1_001, Direction::Pull)).await;
    let cut_at = story.world.now().plus_ms(DAY_MS);
    story.tell_all([pay_out(1_002, 60), debit(1_002), credit(1_002), cut(1_002, Direction::Push)]).await;
    assert_eq!(reads.lists().file(SHARD, CUSTODY, file(1_001)).await.expect("reads"), None);
    project(&reads).await;
    let found = reads.lists().file(SHARD, CUSTODY, file(1_001)).await.expect("reads").expect("was cut");
    assert_eq!((found.cut.file, found.cut.rail, found.cut_at), (file(1_001), Rail::Ach, cut_at));
    let items: Vec<_> = found.cut.items.iter().map(|item| (item.transaction, item.amount)).collect();
    assert_eq!(items, [(fixture::transaction(1_001), 100)]);
    assert_eq!(reads.lists().file(SHARD, CUSTODY, file(1_009)).await.expect("reads"), None);
    let files = async |page| shown(reads.lists().files(SHARD, CUSTODY, page).await.expect("lists"));
    assert_eq!(files(PAGE).await, (vec![file(1_001), file(1_002)], 2));
    assert_eq!(files(Page { number: 2, size: 1 }).await, (vec![file(1_002)], 2));
    for (trace, number) in [(1, Some(1_001)), (2, Some(1_002)), (3, None)] {
        let found = reads.lists().transaction_of_trace(SHARD, CUSTODY, trace).await.expect("reads");
        assert_eq!(found, number.map(fixture::transaction), "{trace}");
    }
}

#[tokio::test]
async fn reused_trace_finds_the_newest_transaction() {
    let mut story = Story::begin().await;
    story.tell_all([pull(1_001, 100), debit(1_001), cut(1_001, Direction::Pull)]).await;
    let (reads, database) = story.projected().await;
    // Simulates a trace number that is used again after 10⁷ entries.
    let again = "insert into traces_v1 select shard, custody, trace, position + 1, $1 from traces_v1";
    let newest = Uuid::from_u128(77);
    database.pg().client().await.expect("connects").execute(again, &[&newest]).await.expect("writes");
    let found = reads.lists().transaction_of_trace(SHARD, CUSTODY, 1).await.expect("reads");
    assert_eq!(found, Some(TransactionId::from_u128(77)));
}
