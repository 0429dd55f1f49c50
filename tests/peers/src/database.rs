//! The server, with a separate database for every load, so that loads do not share tables.

use std::str::FromStr;
use std::time::Duration;

use rust_decimal::Decimal;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions, Executor, PgPool};
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::Error;

/// Number of connections: 32 for callers, and a reserve for listeners of a peer.
const CONNECTIONS: u32 = 40;

/// Settings that must be on; otherwise an acknowledged commit may be lost.
const DURABLE: [&str; 3] = ["fsync", "full_page_writes", "synchronous_commit"];

/// A PostgreSQL server.
#[derive(Debug)]
pub(crate) struct Server {
    options: PgConnectOptions,
}

impl Server {
    /// Creates the server of a URL.
    pub(crate) fn new(url: &str) -> Result<Self, Error> {
        let options = PgConnectOptions::from_str(url)?.disable_statement_logging();
        Ok(Self { options: options.options([("synchronous_commit", "on")]) })
    }

    /// Runs `work` in a new database, which is dropped afterwards even after a failure.
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

    /// Runs `work` in a runtime of its own, so that background tasks of a peer end with it.
    fn work_in<T>(&self, name: &str, work: impl AsyncFnOnce(PgPool) -> Result<T, Error>) -> Result<T, Error> {
        let runtime = Runtime::new()?;
        let done = runtime.block_on(async {
            // A ping before each use of a connection would be a round trip that the peers do not need.
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

/// Checks the durability settings: figures of commits that may be lost are not comparable.
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

/// Fails unless a table has exactly as many rows as were acknowledged.
pub(crate) async fn must_hold(pool: &PgPool, table: &str, acknowledged: u64) -> Result<(), Error> {
    let rows: i64 = sqlx::query_scalar(&format!("select count(*) from {table}")).fetch_one(pool).await?;
    must_be(table, rows.into(), acknowledged.into())
}

/// Fails if the number differs from the acknowledged one: nothing may be lost or duplicated.
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
    fn only_acknowledged_number_is_accepted() {
        let found = |found: u64| must_be("events", found.into(), Decimal::from(5)).is_ok();
        assert_eq!([found(4), found(5), found(6)], [false, true, false]);
    }
}
