//! Installation: a login with the rights of the owner creates the tables of read models, the runner fills them.

use daybook_log::Shard;
use daybook_pg::Transaction;

use super::{Versions, rebuild};
use crate::error::Error;
use crate::store::Model;
use crate::store::cursor;
use crate::store::version::{self, Version};

impl Versions {
    /// Creates the cursor and the missing tables as their owner. A read model without a version gets its first one, in
    /// the tables of another shard if there are any. Several processes may call this at the same time.
    ///
    /// # Errors
    ///
    /// [`Error::NoTables`] if something is missing and the login may not create it. [`Error::Database`].
    pub async fn make(&self, shard: Shard) -> Result<(), Error> {
        let missing = missing(&self.all(shard).await?);
        let Some(first) = missing.first() else { return Ok(()) };
        let pg = self.store.building();
        if let Err(daybook_pg::Error::Denied(_)) = pg.permitted().await {
            return Err(Error::NoTables(first.name()));
        }
        let work = async |tx: &Transaction<'_>| {
            cursor::create_in(tx, shard).await?;
            let position = cursor::lock(tx, shard).await?.unwrap_or_default();
            version::lock_numbers(tx).await?;
            for model in self::missing(&version::all_in(tx, shard).await?) {
                let first = if let Some(first) = version::first_beside(tx, shard, model, position).await? {
                    first
                } else {
                    let first = version::first(tx, model, position).await?;
                    create(tx, &first, &(model.definition().schema)(first.fold)).await?;
                    first
                };
                version::save(tx, shard, &first).await?;
            }
            Ok::<_, Error>(())
        };
        pg.of(shard).tx("projector.make", work).await
    }

    /// Ensures that every read model can be read: creates missing tables if the login may, and fills read models that
    /// are new in a database with a past before it returns. Several processes may call this at the same time.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownFold`] if a newer binary made an active version. As [`Versions::make`].
    pub async fn install(&self, shard: Shard) -> Result<(), Error> {
        self.make(shard).await?;
        for version in rebuild::unfilled(&self.all(shard).await?) {
            Box::pin(rebuild::fill(&self.store, shard, version)).await?;
        }
        self.store.reload_versions(shard).await?;
        Ok(())
    }
}

/// Returns the read models that have no version.
fn missing(versions: &[Version]) -> Vec<Model> {
    let is_missing = |model: &Model| versions.iter().all(|version| version.model != *model);
    Model::ALL.into_iter().filter(is_missing).collect()
}

/// Runs the statements that create the tables of `version`, and grants roles their rights to the tables.
pub(crate) async fn create(tx: &Transaction<'_>, version: &Version, statements: &str) -> Result<(), Error> {
    tx.batch_execute(statements).await?;
    for table in version.tables() {
        daybook_pg::share_model(&**tx, &table).await?;
    }
    Ok(())
}
