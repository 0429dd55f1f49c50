//! Rebuilding read models: beside what is read, compared with it, and put in its place without anybody noticing.

mod daily;
mod damage;
mod entries;
mod fold;
mod hole;
mod protocol;
mod statuses;
mod totals;

use std::sync::Arc;

use daybook_domain::testing::fixture::{self, ANNS};
use daybook_pg::{Role, share_model};
use daybook_projector::{Built, Model, Reads, Rebuild, Stage};
use daybook_tests::database::Database;

use crate::read_models::story::{SHARD, Story, project};
use crate::read_models::{all_sorts, to_dan};

/// Small enough for several pages of every story here.
const MEMORY: u64 = 0;

/// Something of everything, somebody who is waited for, and payments at every stage.
async fn lived() -> Story {
    let mut story = Story::begin().await;
    story.tell_all(all_sorts()).await;
    story.tell(to_dan(1_100)).await;
    more(&mut story, FIRST).await;
    story
}

/// The number of the first payment of a story.
const FIRST: u128 = 2_000_000;

/// Twenty more payments, the first of them numbered `first`, at every stage.
async fn more(story: &mut Story, first: u128) {
    story.tell_all((first..first + 20).map(|number| fixture::pay(number, 5))).await;
    story.tell_all((first..first + 15).map(fixture::debit)).await;
    story.tell_all((first..first + 10).map(fixture::credit)).await;
    story.tell_all((first..first + 5).map(fixture::settle)).await;
    story.tell(fixture::subnet(first, ANNS)).await;
    story.tell(fixture::subscription(first)).await;
}

/// A database whose `model` is version 1 by fold 1, whose tables are `schema`, after all of the story: as a binary leaves it
/// that knows no other fold.
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

/// A process that begins to read.
async fn installed(story: &Story, database: &Database) -> Reads {
    let reads = Reads::new(database.pg(), Arc::clone(&story.log));
    reads.versions().install(SHARD).await.expect("installs");
    reads
}

/// Builds the next version of `model` until it is fed together with what is read.
async fn build(reads: &Reads, model: Model) -> Built {
    build_within(reads, model, MEMORY).await
}

/// The same in pages that take so much memory.
async fn build_within(reads: &Reads, model: Model, memory: u64) -> Built {
    let mut rebuild = Rebuild::begin(reads.versions(), SHARD, model, memory).await.expect("begins");
    loop {
        let built = rebuild.step().await.expect("steps");
        if !built.version.stage.is_building() {
            assert_eq!(built.version.stage, Stage::Verify);
            return built;
        }
    }
}

/// How many rows of `model` differ between what is read and the version beside it.
async fn differing(reads: &Reads, model: Model) -> u64 {
    reads.comparisons().compare(SHARD, model, 100, |_| {}).await.expect("compares").differing()
}

async fn run(database: &Database, sql: &str) -> u64 {
    database.pg().client().await.expect("connects").execute(sql, &[]).await.expect("runs")
}
