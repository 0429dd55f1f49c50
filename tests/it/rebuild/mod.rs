//! Rebuilding read models: beside the active version, compared with it, and switched without an interruption of reads.

mod daily;
mod damage;
mod entries;
mod fold;
mod hole;
mod protocol;
mod shards;
mod statuses;
mod totals;

use std::sync::Arc;

use daybook_domain::testing::fixture::{self, ANNS};
use daybook_pg::{Role, share_model};
use daybook_projector::{Model, Reads, Rebuild, RebuildProgress, Stage};
use daybook_tests::database::Database;

use crate::read_models::story::{SHARD, Story, project};
use crate::read_models::{all_sorts, to_dan};

/// Memory for a page of a rebuild, in bytes. Small enough that every story here has several pages.
const MEMORY: u64 = 0;

/// Returns a story with commands of every kind, a queued payment, and payments in every status.
async fn lived() -> Story {
    let mut story = Story::begin().await;
    story.tell_all(all_sorts()).await;
    story.tell(to_dan(1_100)).await;
    more(&mut story, FIRST).await;
    story
}

/// Number of the first payment of a story.
const FIRST: u128 = 2_000_000;

/// Records twenty more payments in every status. The first has the number `first`.
async fn more(story: &mut Story, first: u128) {
    story.tell_all((first..first + 20).map(|number| fixture::pay(number, 5))).await;
    story.tell_all((first..first + 15).map(fixture::debit)).await;
    story.tell_all((first..first + 10).map(fixture::credit)).await;
    story.tell_all((first..first + 5).map(fixture::settle)).await;
    story.tell(fixture::subnet(first, ANNS)).await;
    story.tell(fixture::subscription(first)).await;
}

/// Returns a database in which `model` is version 1 by fold 1 with the tables of `schema`, projected to the end of the
/// story. A binary that has no other fold leaves such a database.
async fn older(story: &Story, model: Model, schema: &str) -> (Reads, Database) {
    let database = Database::without_read_models().await;
    let owner = database.pg().acting_as(Role::Owner).client().await.expect("connects");
    owner.batch_execute(schema).await.expect("makes the tables");
    for table in model.tables() {
        share_model(&**owner, &format!("{table}_v1")).await.expect("is shared");
    }
    let noted = format!(
        "insert into projection (shard, name, version, fold, stage, position, generation)
         values (1, '{model}', 1, 1, 'active', 0, 1)"
    );
    run(&database, &noted).await;
    let reads = installed(story, &database).await;
    project(&reads).await;
    (reads, database)
}

/// Returns the reads of a newly started process.
async fn installed(story: &Story, database: &Database) -> Reads {
    let reads = Reads::new(database.pg(), Arc::clone(&story.log));
    reads.versions().install(SHARD).await.expect("installs");
    reads
}

/// Builds the next version of `model` until it is written together with the active one.
async fn build(reads: &Reads, model: Model) -> RebuildProgress {
    build_within(reads, model, MEMORY).await
}

/// Does the same as [`build`], with pages of at most `memory` bytes.
async fn build_within(reads: &Reads, model: Model, memory: u64) -> RebuildProgress {
    let mut rebuild = Rebuild::begin(reads.versions(), SHARD, model, memory).await.expect("begins");
    loop {
        let built = rebuild.step().await.expect("steps");
        if !built.version.stage.is_building() {
            assert_eq!(built.version.stage, Stage::Verify);
            return built;
        }
    }
}

/// Returns the number of rows of `model` that differ between the active version and the one beside it.
async fn differing(reads: &Reads, model: Model) -> u64 {
    reads.comparisons().compare(SHARD, model, 100, |_| {}).await.expect("compares").differing()
}

async fn run(database: &Database, sql: &str) -> u64 {
    database.pg().client().await.expect("connects").execute(sql, &[]).await.expect("runs")
}
