//! A database of the benchmark's own, beside the one that it reads.

use daybook_pg::{Pg, migrate};

use crate::error::Error;
use crate::stage::patient;

/// The database; call [`Scratch::remove`] at the end.
pub(super) struct Scratch {
    pub(super) pg: Pg,
    name: String,
}

impl Scratch {
    /// Makes it on the server of `pg`, with the newest schema.
    pub(super) async fn make(pg: &Pg) -> Result<Self, Error> {
        let name = format!("daybook_bench_{}", std::process::id());
        let scratch = Self { pg: Pg::new(pg.config().clone().with_database(&name))?, name };
        scratch.renew(pg).await?;
        Ok(scratch)
    }

    /// Makes it anew: nothing is in it but the schema.
    pub(super) async fn renew(&self, pg: &Pg) -> Result<(), Error> {
        self.drop(pg).await?;
        execute(pg, &format!("create database {}", self.name)).await?;
        migrate::run(&self.pg).await?;
        Ok(())
    }

    /// Removes it.
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
