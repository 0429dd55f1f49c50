//! Coverage: every table of a database is verified, or is listed with the reason why it is not.

use std::collections::BTreeSet;

use daybook_cli::commands::reconcile::coverage::TABLES;
use daybook_projector::Model;
use daybook_tests::app::TestApp;
use daybook_tests::shard;

const ALL: &str = "select case schemaname when 'public' then '' else schemaname || '.' end || tablename
    from pg_tables where schemaname not in ('pg_catalog', 'information_schema')";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_table_is_covered_by_reconciliation() {
    let app = TestApp::start().await;
    let db = app.database.pg().client().await.expect("connects");
    let there: BTreeSet<String> =
        db.query(ALL, &[]).await.expect("reads").iter().map(|row| row.get(0)).collect();
    let versions = app.service.engine.reads().versions().all(shard()).await.expect("reads");
    let read_models = versions.iter().flat_map(daybook_projector::Version::tables);
    let others = TABLES.iter().map(|table| table.name.to_owned());
    let covered: BTreeSet<String> = read_models.chain(others).collect();
    assert_eq!(covered, there);
    assert_eq!(versions.len(), Model::ALL.len());
}
