//! The server, and a database of its own for every load, so that none inherits another's tables.

use std::str::FromStr;
use std::time::Duration;

use rust_decimal::Decimal;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions, Executor, PgPool};
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::Error;

/// Enough for 32 callers and what a peer listens with.
const CONNECTIONS: u32 = 40;

/// What must be on, or a commit that was acknowledged may be lost.
const DURABLE: [&str; 3] = ["fsync", "full_page_writes", "synchronous_commit"];

/// A PostgreSQL server.
#[derive(Debug)]
pub(crate) struct Server {
    options: PgConnectOptions,
}

impl Server {
    /// The server that a URL leads to.
    pub(crate) fn new(url: &str) -> Result<Self, Error> {
        let options = PgConnectOptions::from_str(url)?.disable_statement_logging();
        Ok(Self { options: options.options([("synchronous_commit", "on")]) })
    }

    /// Does something with a new database, which is dropped afterwards, also when it failed.
    pub(crate) fn in_new_database<T>(
        &self,
        work: impl AsyncFnOnce(PgPool) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let name = format!("peers_{}", Uuid::now_v7().simple());
        self.administer(&format!("create database {name}"))?;
        let done = self.work_in(&name, work);
        let dropped = self.administer(&format!("drop database {name} with (force)"));
        done.and_then(|done| dropped.map(|()| done))
    }

    /// A runtime for each: what a peer leaves running ends with it.
    fn work_in<T>(&self, name: &str, work: impl AsyncFnOnce(PgPool) -> Result<T, Error>) -> Result<T, Error> {
        let runtime = Runtime::new()?;
        let done = runtime.block_on(async {
            // Asking whether a connection still lives before each use would be a round trip that no peer asks for.
            let pool = PgPoolOptions::new().max_connections(CONNECTIONS).test_before_acquire(false);
            let pool = pool.connect_with(self.options.clone().database(name)).await?;
            must_be_durable(&pool).await?;
            work(pool).await
        });
        runtime.shutdown_timeout(Duration::from_secs(1));
        done
    }

    fn administer(&self, statement: &str) -> Result<(), Error> {
        Runtime::new()?.block_on(async {
            self.options.connect().await?.execute(statement).await?;
            Ok(())
        })
    }
}

/// A figure of commits that may be lost is not comparable.
async fn must_be_durable(pool: &PgPool) -> Result<(), Error> {
    for setting in DURABLE {
        let value: String =
            sqlx::query_scalar("select current_setting($1)").bind(setting).fetch_one(pool).await?;
        if value != "on" {
            return Err(format!("{setting} is {value}").into());
        }
    }
    Ok(())
}

/// Fails if a table has not exactly as many rows as were acknowledged.
pub(crate) async fn must_hold(pool: &PgPool, table: &str, acknowledged: u64) -> Result<(), Error> {
    let rows: i64 = sqlx::query_scalar(&format!("select count(*) from {table}")).fetch_one(pool).await?;
    must_be(table, rows.into(), acknowledged.into())
}

/// Fails if what was found differs from what was acknowledged: neither lost nor made twice.
pub(crate) fn must_be(what: &str, found: Decimal, acknowledged: Decimal) -> Result<(), Error> {
    if found == acknowledged {
        return Ok(());
    }
    Err(format!("{what}: found {found}, acknowledged were {acknowledged}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_less_nor_more_than_acknowledged_is_accepted() {
        let found = |found: u64| must_be("events", found.into(), Decimal::from(5)).is_ok();
        assert_eq!([found(4), found(5), found(6)], [false, true, false]);
    }
}
