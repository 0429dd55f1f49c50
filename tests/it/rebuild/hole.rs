//! Holes: a rebuild skips kinds of events that the read model does not use, and still detects a gap among them.

use std::sync::Arc;

use daybook_domain::Kind;
use daybook_log::postgres::PostgresLog;
use daybook_projector::{Error, Model, Reads, Rebuild, RebuildError};
use daybook_tests::database::Database;

use super::{FIRST, MEMORY, build, differing, more, run};
use crate::read_models::all_sorts;
use crate::read_models::story::{SHARD, Story, project};

/// Returns a database with a log and its read models, read through a log that has not seen the commits itself.
async fn stored() -> (Reads, Database) {
    let database = Database::create().await;
    let mut story = Story::on(Arc::new(PostgresLog::new(database.pg()))).await;
    story.tell_all(all_sorts()).await;
    more(&mut story, FIRST).await;
    let log = PostgresLog::new(database.pg()).omit_boxes_of(&Kind::LARGE_PAYLOADS.map(Kind::code));
    let reads = Reads::new(database.pg(), Arc::new(log));
    reads.versions().install(SHARD).await.expect("installs");
    project(&reads).await;
    (reads, database)
}

#[tokio::test]
async fn rebuild_without_unused_kinds_is_equal() {
    let (reads, _database) = stored().await;
    for model in Model::ALL {
        build(&reads, model).await;
        assert_eq!(differing(&reads, model).await, 0, "{model}");
    }
}

#[tokio::test]
async fn gap_among_unused_events_stops_rebuild() {
    let (reads, database) = stored().await;
    let client = database.pg().client().await.expect("connects");
    let middle =
        "select position from event where stream_kind = $1 and position > 70 order by position limit 1";
    let gone: i64 = client.query_one(middle, &[&Kind::Account.code()]).await.expect("is there").get(0);
    run(&database, "alter table event disable trigger event_append_only").await;
    assert_eq!(run(&database, &format!("delete from event where position = {gone}")).await, 1);
    for model in
        [Model::ENTRIES, Model::TRANSACTIONS, Model::MEMBERS, Model::PARTIES, Model::SUBNETS, Model::FILES]
    {
        let mut rebuild = Rebuild::begin(reads.versions(), SHARD, model, MEMORY).await.expect("begins");
        let error = loop {
            match rebuild.step().await {
                Ok(built) => {
                    assert!(built.version.stage.is_building(), "{model} is made of a log with a hole");
                }
                Err(error) => break error,
            }
        };
        let is_told = matches!(
            error,
            RebuildError::Failed(Error::Log(daybook_log::Error::Corrupt { position, .. })) if i64::try_from(position) == Ok(gone - 1)
        );
        assert!(is_told, "{model}: {error:?}");
        assert!(rebuild.version().position < u64::try_from(gone).expect("a position"), "{model}");
    }
}
