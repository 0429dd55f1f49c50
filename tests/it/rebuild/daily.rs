//! Daily balances: fold 1 stores the sum of each day, fold 2 only entries effective on another day than recorded.

use std::collections::HashSet;

use daybook_domain::time::DAY_MS;
use daybook_domain::{AccountId, Key, Timestamp};
use daybook_projector::{Allowed, Model, Moment, Reads, Runner};

use super::{build, differing, installed, lived, more, older};
use crate::projector::count;
use crate::read_models::story::{SHARD, Story, run_to_end};

/// Table of fold 1.
const FOLD_1: &str = include_str!("../../../crates/projector/src/models/daily/v1/schema.sql");

fn day_of(at: Timestamp) -> i32 {
    i32::try_from(at.ms().div_euclid(DAY_MS)).expect("a day")
}

/// Checks the balance of each account on each day against the entries of `story`.
async fn is_told(story: &Story, reads: &Reads) {
    let entries = story.entries().await;
    let accounts: HashSet<Key> = entries.iter().map(|(happened, _)| happened.key).collect();
    let last = entries.iter().map(|(happened, _)| day_of(happened.effective_at)).max().expect("entries");
    for key in accounts {
        for day in (-1..=last + 1).chain([i32::MIN, i32::MAX]) {
            let counts = entries
                .iter()
                .filter(|(happened, _)| happened.key == key && day_of(happened.effective_at) <= day);
            let expected = counts.fold((0, 0), |(n, posted), (_, entry)| (n + 1, posted + entry.delta));
            let account = AccountId::from_u128(key.id);
            let told =
                reads.balances().balance_at(SHARD, account, Moment::EffectiveDay(day)).await.expect("reads");
            let told = told.map(|told| (told.n, told.posted));
            assert_eq!(told, Some(expected), "{key:?} by {day}");
        }
    }
}

#[tokio::test]
async fn balances_by_date_agree_in_both_folds() {
    let mut story = lived().await;
    let (reads, database) = older(&story, Model::DAILY, FOLD_1).await;
    is_told(&story, &reads).await;
    assert_eq!(build(&reads, Model::DAILY).await.version.fold, 2);
    let moved = count(&database, "select count(*) from daily_v2 where moved <> 0").await;
    let kept = count(&database, "select count(*) from daily_v1 where delta <> 0").await;
    assert!(moved > 1 && kept > 1, "{moved} {kept}");
    // The two folds share no column with values, so the switch must name these columns as not compared.
    assert_eq!(differing(&reads, Model::DAILY).await, 0);
    assert!(reads.comparisons().switch(SHARD, Model::DAILY, &Allowed::default()).await.is_err());
    let columns = ["moved", "moved_entries", "delta", "entries"];
    let not_compared = columns.map(|column| format!("daily.{column}")).to_vec();
    let allowed = Allowed { not_compared, ..Allowed::default() };
    reads.comparisons().switch(SHARD, Model::DAILY, &allowed).await.expect("switches");
    is_told(&story, &reads).await;

    // Both versions are kept up to date, and a newly started process reads either.
    for first in [3_000_000, 4_000_000] {
        more(&mut story, first).await;
        let reads = installed(&story, &database).await;
        run_to_end(&Runner::new(reads.store(), SHARD)).await;
        is_told(&story, &reads).await;
        reads.comparisons().roll_back(SHARD, Model::DAILY).await.expect("goes back");
        is_told(&story, &reads).await;
    }
}
