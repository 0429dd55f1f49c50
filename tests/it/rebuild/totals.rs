//! Members by their folds: fold 1 has totals of all lists and has the lists of transactions. Fold 3 has totals only
//! of lists that members may leave, and has no lists of transactions: these are in parties.

use daybook_domain::testing::fixture::{ANNS, BOB, PLATFORM};
use daybook_projector::{Allowed, Model, Page, Reads, Runner};
use daybook_tests::database::Database;

use super::{build, differing, installed, lived, more, older, run};
use crate::projector::count;
use crate::read_models::story::{SHARD, run_to_end};

/// Tables of fold 3. The tables of fold 1 have the same columns.
const FOLD_3: &str = include_str!("../../../crates/projector/src/models/members/schema.sql");
/// A page of one item: only the total matters.
const PAGE: Page = Page { number: 1, size: 1 };

/// Returns the number of totals in version `version` that are missing, surplus or different from their members.
/// `counted` is an SQL condition that selects the lists.
async fn wrong(database: &Database, version: u16, counted: &str) -> i64 {
    let sql = format!(
        "select count(*)
           from (select list, kind, count(*) filter (where is_present) total, max(n) last
                   from members_v{version} where {counted} group by list, kind) m
           full join counters_v{version} c using (list, kind)
          where (m.total, m.last) is distinct from (c.total, c.last)"
    );
    count(database, &sql).await
}

/// Returns the number of rows in lists of transactions that are only in members of fold 1, or only in parties.
async fn parted(database: &Database) -> i64 {
    let parties = "select sender list, 1 kind, sender_n n, id from parties_v1 where sender is not null
        union all select receiver, 1, receiver_n, id from parties_v1 where receiver is not null
        union all select from_node, 2, from_n, id from parties_v1 where from_node is not null
        union all select to_node, 2, to_n, id from parties_v1 where to_node is not null
        union all select platform, 3, platform_n, id from parties_v1";
    let members = "select list, kind, n, member from members_v1 where kind in (1, 2, 3)";
    let sql = format!(
        "select count(*)
           from (({parties}) except ({members}) union all (({members}) except ({parties}))) x"
    );
    count(database, &sql).await
}

/// Returns the totals that lists report to callers.
async fn told(reads: &Reads) -> [u64; 5] {
    let listed = "lists";
    [
        reads.lists().users_of_platform(SHARD, PLATFORM, PAGE).await.expect(listed).total,
        reads.lists().nodes_of_platform(SHARD, PLATFORM, None, PAGE).await.expect(listed).total,
        reads.lists().transactions_of_platform(SHARD, PLATFORM, None, PAGE).await.expect(listed).total,
        reads.lists().transactions_of_user(SHARD, BOB, None, PAGE).await.expect(listed).total,
        reads.lists().subnets_of_node(SHARD, ANNS, PAGE).await.expect(listed).total,
    ]
}

#[tokio::test]
async fn new_database_counts_only_leavable_lists() {
    let (reads, database) = lived().await.projected().await;
    assert_eq!(wrong(&database, 3, "kind in (4, 5)").await, 0);
    assert_eq!(count(&database, "select count(*) from members_v3 where kind in (1, 2, 3)").await, 0);
    assert!(told(&reads).await.iter().all(|total| *total > 1));
}

#[tokio::test]
async fn list_totals_agree_in_both_folds() {
    let mut story = lived().await;
    let (reads, database) = older(&story, Model::MEMBERS, &FOLD_3.replace("_v3", "_v1")).await;
    assert_eq!((wrong(&database, 1, "true").await, parted(&database).await), (0, 0));
    let before = told(&reads).await;
    assert_eq!(build(&reads, Model::MEMBERS).await.version.fold, 3);
    assert_eq!(differing(&reads, Model::MEMBERS).await, 0);
    reads.comparisons().switch(SHARD, Model::MEMBERS, &Allowed::default()).await.expect("switches");
    assert_eq!(told(&reads).await, before);

    // Both versions are kept up to date. A newly started process finds the numbers of members it never saw.
    for back in [false, true] {
        more(&mut story, if back { 4_000_000 } else { 3_000_000 }).await;
        let reads = installed(&story, &database).await;
        run_to_end(&Runner::new(reads.store(), SHARD)).await;
        assert_eq!((wrong(&database, 1, "true").await, parted(&database).await), (0, 0));
        assert_eq!(wrong(&database, 3, "kind in (4, 5)").await, 0);
        assert_eq!(differing(&reads, Model::MEMBERS).await, 0);
        let totals = told(&reads).await;
        reads.comparisons().roll_back(SHARD, Model::MEMBERS).await.expect("goes back");
        assert_eq!(told(&reads).await, totals);
    }

    // A wrong total is found in either version.
    for version in [1, 3] {
        let set =
            |total: &str| format!("update counters_v{version} set total = total {total} where kind = 4");
        assert_eq!(run(&database, &set("+ 1")).await, 1);
        assert_eq!(differing(&reads, Model::MEMBERS).await, 1);
        assert_eq!(run(&database, &set("- 1")).await, 1);
    }
}
