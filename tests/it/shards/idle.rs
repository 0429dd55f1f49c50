//! Shards without platforms: a process leaves the database nearly alone, and notices the first event at once.

use std::time::Duration;

use daybook_tests::database::Database;
use daybook_tests::process::Daybook;
use tokio::time::sleep;

use crate::restart::{dev_args, folder_with_key};

/// Number of shards.
const SHARDS: i16 = 4;
/// Time after which a process without events is quiet, and its sessions have reported their earlier transactions, which takes
/// ten seconds more.
const QUIET_AFTER: Duration = Duration::from_secs(25);
/// Time for which transactions are counted.
const COUNTED_S: u32 = 10;
/// Maximum number of transactions for each shard and second.
const MAX_TRANSACTIONS: u32 = 10;

/// Returns the number of transactions in the database so far.
async fn transactions(database: &Database) -> i64 {
    let count = "select xact_commit + xact_rollback from pg_stat_database where datname = current_database()";
    database.patient_client().await.query_one(count, &[]).await.expect("an answer").get(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_shards_cost_few_transactions() {
    let (database, folder) = (Database::with_shards(SHARDS).await, folder_with_key());
    let process = Daybook::start(dev_args(&database, folder.path()));
    sleep(QUIET_AFTER).await;
    let before = transactions(&database).await;
    sleep(Duration::from_secs(COUNTED_S.into())).await;
    let counted = transactions(&database).await - before;
    let most = i64::from(COUNTED_S * MAX_TRANSACTIONS) * i64::from(SHARDS);
    assert!((1..=most).contains(&counted), "{counted} transactions, at most {most}");
    println!("{counted} transactions in {COUNTED_S} s");
    drop(process);
}
