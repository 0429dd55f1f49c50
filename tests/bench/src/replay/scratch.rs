//! A scratch database of the benchmark, beside the one that it reads.

use daybook_pg::{Pg, migrate};

use crate::error::Error;
use crate::stage::patient;

/// The database. It must be removed with [`Scratch::remove`].
pub(super) struct Scratch {
    pub(super) pg: Pg,
    name: String,
}

impl Scratch {
    /// Creates the database on the server of `pg`, with the newest schema.
    pub(super) async fn make(pg: &Pg) -> Result<Self, Error> {
        let name = format!("daybook_bench_{}", std::process::id());
        let scratch = Self { pg: Pg::new(pg.config().clone().with_database(&name))?, name };
        scratch.renew(pg).await?;
        Ok(scratch)
    }

    /// Creates the database again, with nothing but the schema.
    pub(super) async fn renew(&self, pg: &Pg) -> Result<(), Error> {
        self.drop(pg).await?;
        execute(pg, &format!("create database {}", self.name)).await?;
        migrate::run(&self.pg).await?;
        Ok(())
    }

    /// Removes the database.
    pub(super) async fn remove(self, pg: &Pg) -> Result<(), Error> {
        self.drop(pg).await
    }

    async fn drop(&self, pg: &Pg) -> Result<(), Error> {
        execute(pg, &format!("drop database if exists {} with (force)", self.name)).await
    }
}

async fn execute(pg: &Pg, sql: &str) -> Result<(), Error> {
    Ok(patient(pg).await?.batch_execute(sql).await.map_err(daybook_pg::Error::from)?)
}
