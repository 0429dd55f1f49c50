//! Entries: fold 1 stores a row per entry, fold 2 the position of every sixteenth. The log has the content of an entry.

use std::collections::HashSet;

use daybook_domain::account::Entry;
use daybook_domain::{AccountId, Key};
use daybook_projector::{Allowed, Comparison, Model, Moment, Reads, Runner};

use super::{build, differing, installed, lived, more, older, run};
use crate::read_models::story::{SHARD, Story, run_to_end};

/// Table of fold 1.
const FOLD_1: &str = include_str!("../../../crates/projector/src/models/entries/v1/schema.sql");

async fn compare(reads: &Reads) -> Comparison {
    reads.comparisons().compare(SHARD, Model::ENTRIES, 100, |_| {}).await.expect("compares")
}

/// Checks the balance of each account at each position against the entries of `story`.
async fn is_told(story: &Story, reads: &Reads) {
    let entries = story.entries().await;
    let accounts: HashSet<Key> = entries.iter().map(|(happened, _)| happened.key).collect();
    let head = story.head().await;
    for key in accounts {
        let own = || entries.iter().filter(|(happened, _)| happened.key == key);
        let moments = own().flat_map(|(happened, _)| [happened.position - 1, happened.position]);
        for position in moments.chain([head]) {
            let last = own().rfind(|(happened, _)| happened.position <= position);
            let expected = last.map(|(happened, Entry { posted, held, pending_in, .. })| {
                (happened.version, *posted, Some(*held), Some(*pending_in))
            });
            let account = AccountId::from_u128(key.id);
            let told =
                reads.balances().balance_at(SHARD, account, Moment::Position(position)).await.expect("reads");
            let told = told.map(|told| (told.n, told.posted, told.held, told.pending_in));
            assert_eq!(told, Some(expected.unwrap_or((0, 0, Some(0), Some(0)))), "{key:?} at {position}");
        }
    }
}

#[tokio::test]
async fn past_balances_agree_in_both_folds() {
    let mut story = lived().await;
    let (reads, database) = older(&story, Model::ENTRIES, FOLD_1).await;
    is_told(&story, &reads).await;
    assert_eq!(build(&reads, Model::ENTRIES).await.version.fold, 2);
    let comparison = compare(&reads).await;
    assert_eq!(comparison.differing(), 0);
    let (old, new) = comparison.tables[0].rows;
    assert!(old > 3 && old == new, "{comparison:?}");
    let only_in_the_log =
        ["cause", "delta", "hold_delta", "pending_delta", "posted", "held", "pending_in", "recorded_at"];
    assert_eq!(comparison.not_compared(), only_in_the_log.map(|column| format!("entries.{column}")));
    let allowed = Allowed { not_compared: comparison.not_compared(), ..Allowed::default() };
    reads.comparisons().switch(SHARD, Model::ENTRIES, &allowed).await.expect("switches");
    is_told(&story, &reads).await;

    // Both versions are kept up to date, and a newly started process reads either.
    for first in [3_000_000, 4_000_000] {
        more(&mut story, first).await;
        let reads = installed(&story, &database).await;
        run_to_end(&Runner::new(reads.store(), SHARD)).await;
        assert_eq!(differing(&reads, Model::ENTRIES).await, 0);
        is_told(&story, &reads).await;
        reads.comparisons().roll_back(SHARD, Model::ENTRIES).await.expect("goes back");
        is_told(&story, &reads).await;
    }

    // A wrong position is found in either version.
    for version in [1, 2] {
        let set = |by: i32| format!("update entries_v{version} set position = position + {by} where n = 17");
        let wrong = run(&database, &set(1_000_000)).await;
        assert_eq!((wrong > 0, differing(&reads, Model::ENTRIES).await), (true, 2 * wrong));
        run(&database, &set(-1_000_000)).await;
    }
}
