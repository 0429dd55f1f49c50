//! Trial balance and open items: what was posted, and what no statement has explained yet.

use daybook_domain::posting::{LedgerAccount, Rail};
use daybook_domain::testing::fixture::{self, ANNS, PLATFORM, credit, debit, fund, pay_out, pull};
use daybook_domain::{Currency, States};
use daybook_projector::{Page, RecordedEvent, Sums, custody};

use super::story::{SHARD, Story, project};
use super::{FAR_FUTURE, NOBODY, PAGE, all_sorts};

/// Returns the sums of all postings in the log up to `position`.
async fn sums(story: &Story, position: u64) -> Sums {
    let mut sums = Sums::default();
    for recorded in story.log.read(SHARD, 0, position).await.expect("reads") {
        let happened = RecordedEvent::decode(&recorded).expect("is an event");
        sums.add(happened.platform, &happened.event);
    }
    sums
}

#[tokio::test]
async fn trial_balance_equals_sum_of_all_postings() {
    let mut story = Story::begin().await;
    let (reads, _database) = story.reads().await;
    assert_eq!(reads.balances().trial_balance(SHARD, None).await.expect("reads"), (0, vec![]));
    for command in all_sorts() {
        story.tell(command).await;
        project(&reads).await;
        let (position, rows) = reads.balances().trial_balance(SHARD, None).await.expect("reads");
        assert_eq!(position, story.head().await);
        assert_eq!(rows, sums(&story, position).await.rows());
    }
    let (_, rows) = reads.balances().trial_balance(SHARD, Some(PLATFORM)).await.expect("reads");
    let sides = custody(&rows);
    assert_eq!(sides.len(), 1, "one platform, one currency");
    let sides = &sides[&(PLATFORM, Currency::USD)];
    // The first statement shows 100 in, 25 out and 7 unexplained; of the second one, a line of 9 is booked. The returned 60
    // and pending money are not at the bank.
    assert_eq!((sides.bank, sides.suspense, sides.ret_in, sides.difference()), (91, 16, 60, 0));
    let nobody = reads.balances().trial_balance(SHARD, Some(NOBODY)).await.expect("reads");
    assert_eq!(nobody, (story.head().await, vec![]));
}

#[tokio::test]
async fn sums_beyond_64_bits_are_exact() {
    let mut story = Story::begin().await;
    let (reads, database) = story.projected().await;
    let widen = format!("update ledger_v1 set debits = {0}, credits = {0}", i128::MAX - 1_000);
    database.pg().client().await.expect("connects").batch_execute(&widen).await.expect("writes");
    story.tell(fund(ANNS, 7)).await;
    project(&reads).await;
    let (_, rows) = reads.balances().trial_balance(SHARD, None).await.expect("reads");
    let nodes = rows.iter().find(|row| row.account == "nodes").expect("is there");
    assert_eq!((nodes.debits, nodes.credits), (i128::MAX - 1_000, i128::MAX - 993));
}

#[tokio::test]
async fn open_items_are_listed_oldest_first() {
    let mut story = Story::begin().await;
    story.tell_all([pull(1_001, 100), debit(1_001), pay_out(1_002, 60), debit(1_002), credit(1_002)]).await;
    let (reads, _database) = story.projected().await;
    let open_until =
        async |until, page| reads.lists().open_items(SHARD, PLATFORM, until, page).await.expect("lists");
    let open = open_until(FAR_FUTURE, PAGE).await;
    // Two micro-deposits and two credits at the bank are older than both.
    let [.., pulled, pushed] = &open[..] else { panic!("{open:?}") };
    let [rail_in, rail_out] = [LedgerAccount::RailIn(Rail::Ach), LedgerAccount::RailOut(Rail::Ach)];
    let found = [pulled, pushed].map(|item| (item.transaction, item.account, item.amount));
    let [one, two] = [1_001, 1_002].map(fixture::transaction);
    assert_eq!(found, [(one, rail_in, 100), (two, rail_out, -60)]);
    let state = story.world.transaction(pulled.transaction).expect("is there");
    assert_eq!((pulled.currency, pulled.since), (state.amount.currency, state.open_since()));
    assert!(open.is_sorted_by_key(|item| item.since));
    // The upper bound is exclusive: an item open since this time is not yet open before it.
    assert_eq!(open_until(pushed.since, PAGE).await, open[..open.len() - 1]);
    assert_eq!(open_until(FAR_FUTURE, Page { number: 2, size: 2 }).await, open[2..4]);
    assert_eq!(open_until(FAR_FUTURE, Page { number: 9, size: 2 }).await, []);
    assert_eq!(reads.lists().open_items(SHARD, NOBODY, FAR_FUTURE, PAGE).await.expect("lists"), []);
    let count = async |platform| reads.lists().open_item_count(SHARD, platform).await.expect("counts");
    assert_eq!([count(PLATFORM).await, count(NOBODY).await], [open.len() as u64, 0]);
}
