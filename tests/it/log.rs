//! The log: one suite for the log in memory and for the log in PostgreSQL.

use std::sync::Arc;

use daybook_log::memory::MemoryLog;
use daybook_log::postgres::PostgresLog;
use daybook_log::{Log, conformance};
use daybook_tests::database::Database;

#[tokio::test]
async fn memory_keeps_the_promises_of_a_log() {
    conformance::run(async || Arc::new(MemoryLog::new()) as Arc<dyn Log>).await;
}

#[tokio::test]
async fn postgres_keeps_the_promises_of_a_log() {
    conformance::run(async || Arc::new(PostgresLog::new(Database::create().await.pg())) as Arc<dyn Log>).await;
}
