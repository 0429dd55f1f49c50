//! Transactions: fold 1 stores the state in each row, fold 2 only the columns of lists. The stream has the state.

use std::sync::Arc;

use daybook_domain::testing::fixture::{ANN, PLATFORM};
use daybook_domain::transaction::{Status, Transaction};
use daybook_domain::{Key, State, TransactionId};
use daybook_projector::{Allowed, Comparison, Model, NotChosen, Page, Reads, RebuildError, Runner};
use daybook_tests::database::Database;
use uuid::Uuid;

use super::{build, differing, installed, lived, more, older, run};
use crate::projector::count;
use crate::read_models::story::{SHARD, Story, run_to_end};

/// Table of fold 1.
const FOLD_1: &str = include_str!("../../../crates/projector/src/models/transactions/v1/schema.sql");
/// A page that holds all transactions.
const PAGE: Page = Page { number: 1, size: 1_000 };

/// Returns the transactions of the story.
fn told(story: &Story) -> impl Iterator<Item = (Key, &Transaction)> {
    story.world.states().filter_map(|(key, state)| match state {
        State::Transaction(transaction) => Some((*key, &**transaction)),
        _ => None,
    })
}

/// Returns the number of transactions in the story, and the number whose row of fold 1 has the correct state.
async fn states(story: &Story, database: &Database) -> (usize, usize) {
    let client = database.pg().client().await.expect("connects");
    let (mut all, mut right) = (0, 0);
    for (key, transaction) in told(story) {
        let sql = "select state from transactions_v1 where shard = 1 and id = $1";
        let row = client.query_one(sql, &[&Uuid::from_u128(key.id)]).await.expect("is there");
        all += 1;
        right += usize::from(serde_json::from_str(row.get(0)).ok().as_ref() == Some(transaction));
    }
    (all, right)
}

/// Lists the platform's transactions and Ann's by status. Checks the platform's totals against the story.
async fn by_status(story: &Story, reads: &Reads) -> Vec<TransactionId> {
    let mut listed = vec![];
    for status in Status::ALL {
        let of_platform =
            reads.lists().transactions_of_platform(SHARD, PLATFORM, Some(status), PAGE).await.expect("lists");
        let is_in = |(_, transaction): &(Key, &Transaction)| transaction.status == status;
        assert_eq!(of_platform.total, told(story).filter(is_in).count() as u64, "{status:?}");
        let of_ann = reads.lists().transactions_of_user(SHARD, ANN, Some(status), PAGE).await.expect("lists");
        listed.extend(of_platform.items);
        listed.extend(of_ann.items);
    }
    listed
}

async fn compare(reads: &Reads) -> Comparison {
    reads.comparisons().compare(SHARD, Model::TRANSACTIONS, 100, |_| {}).await.expect("compares")
}

#[tokio::test]
async fn transaction_lists_agree_in_both_folds() {
    let mut story = lived().await;
    let (reads, database) = older(&story, Model::TRANSACTIONS, FOLD_1).await;
    let (all, right) = states(&story, &database).await;
    assert_eq!((all > 20, right), (true, all));
    let listed = by_status(&story, &reads).await;
    assert_eq!(build(&reads, Model::TRANSACTIONS).await.version.fold, 2);
    let comparison = compare(&reads).await;
    assert_eq!(
        (comparison.differing(), comparison.not_compared()),
        (0, vec!["transactions.state".to_owned()])
    );

    // A column that only the old version has must be named to be given up.
    let refused = reads
        .comparisons()
        .switch(SHARD, Model::TRANSACTIONS, &Allowed::default())
        .await
        .expect_err("is not named");
    assert!(matches!(refused, RebuildError::NotChosen(NotChosen::NotNamed(..))), "{refused}");
    let state_is_gone = Allowed { not_compared: comparison.not_compared(), ..Allowed::default() };
    reads.comparisons().switch(SHARD, Model::TRANSACTIONS, &state_is_gone).await.expect("switches");
    assert_eq!(by_status(&story, &reads).await, listed);

    // Both versions are kept up to date. A newly started process computes the states of transactions it never saw.
    for back in [false, true] {
        more(&mut story, if back { 4_000_000 } else { 3_000_000 }).await;
        let reads = installed(&story, &database).await;
        run_to_end(&Runner::new(reads.store(), SHARD)).await;
        let (all, right) = states(&story, &database).await;
        assert_eq!(right, all);
        assert_eq!(differing(&reads, Model::TRANSACTIONS).await, 0);
        let listed = by_status(&story, &reads).await;
        reads.comparisons().roll_back(SHARD, Model::TRANSACTIONS).await.expect("goes back");
        assert_eq!(by_status(&story, &reads).await, listed);
    }

    // A wrong status is found in either version.
    for version in [1, 2] {
        let set = |from: &str, to: &str| {
            format!("update transactions_v{version} set status = '{to}' where status = '{from}'")
        };
        let wrong = run(&database, &set("SETTLED", "LOST")).await;
        assert_eq!((wrong > 0, differing(&reads, Model::TRANSACTIONS).await), (true, wrong));
        run(&database, &set("LOST", "SETTLED")).await;
    }
    assert_eq!(count(&database, "select count(*) from transactions_v2 where status = 'LOST'").await, 0);
}

#[tokio::test]
async fn transaction_state_does_not_depend_on_row() {
    let story = lived().await;
    let (reads, database) = story.projected().await;
    run(&database, "update transactions_v2 set version = 99, status = 'LOST', ended = 'LOST'").await;
    let keys: Vec<Key> = told(&story).map(|(key, _)| key).collect();
    let found = reads.aggregates().records(SHARD, &keys).await.expect("reads");
    for (key, transaction) in told(&story) {
        assert_eq!(
            found.get(key).map(|found| &found.state),
            Some(&State::Transaction(Arc::new(transaction.clone())))
        );
    }
}
