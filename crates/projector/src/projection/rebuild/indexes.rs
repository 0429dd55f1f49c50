//! Indexes: created when a rebuild has written all rows, which is faster than updating them with each row.
//!
//! Tables that another shard has filled before have their indexes, and each row updates them. Two shards that build one
//! version at the same time wait for each other here.

use daybook_pg::Transaction;

use super::{Rebuild, SETTINGS, statements};
use crate::error::Error;
use crate::store::version::{self, Stage};

/// Beginnings of the statements that create indexes.
const CREATE_INDEX: [&str; 2] = ["create index", "create unique index"];

impl Rebuild {
    /// Creates the indexes, which may take long, while no other process waits for the version. If the tables were
    /// created with their indexes, the rights of the owner are not needed.
    pub(super) async fn make_indexes(&mut self) -> Result<(), Error> {
        if !self.has_indexes().await? {
            self.make_missing_indexes().await?;
        }
        let (shard, version) = (self.shard, self.version);
        self.change(Stage::Bulk, async |_, _, version| {
            version.stage = Stage::Tail;
            Ok(())
        })
        .await?;
        // No query reads these rows, so the deletion may be lost without harm.
        if let Some(leftover) = version.model.definition().leftover {
            let leftover = version::Tables::of([&version])?.sql(leftover).into_owned();
            self.store.feeding().of(self.shard).client().await?.execute(&leftover, &[&shard]).await?;
        }
        Ok(())
    }

    /// Returns true if every index of the version exists.
    async fn has_indexes(&self) -> Result<bool, Error> {
        let mut names = vec![];
        for what in CREATE_INDEX {
            let name = |statement: &String| {
                statement.split_whitespace().skip_while(|word| *word != "exists").nth(1).map(str::to_owned)
            };
            names.extend(statements(&self.version, what)?.iter().filter_map(name));
        }
        let client = self.store.feeding().of(self.shard).client().await?;
        let statement = client.prepare_cached(include_str!("are_there.sql")).await?;
        Ok(client.query_one(&statement, &[&names]).await?.try_get(0)?)
    }

    async fn make_missing_indexes(&self) -> Result<(), Error> {
        let (shard, version) = (self.shard, self.version);
        let work = async |tx: &Transaction<'_>| {
            tx.batch_execute(SETTINGS).await?;
            // The generation is not compared: if this process saved the version, it is newer than the one that was
            // read.
            let now = version::take(tx, shard, &version).await?;
            if now.map(|now| (now.stage, now.position)) != Some((version.stage, version.position)) {
                return Ok(());
            }
            for what in CREATE_INDEX {
                for statement in statements(&version, what)? {
                    tx.batch_execute(&statement).await?;
                }
            }
            for table in version.tables() {
                tx.batch_execute(&format!("analyze {table}")).await?;
            }
            Ok::<_, Error>(())
        };
        self.store.building().of(self.shard).tx("projector.index", work).await
    }
}
