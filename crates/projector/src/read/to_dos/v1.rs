//! Version 1: one row per process and aggregate. A page writes only the difference between before and after it.

use std::collections::BTreeMap;

use daybook_domain::process::ToDo;
use daybook_log::Shard;
use daybook_pg::Transaction;
use daybook_pg::types::TimestampMs;
use futures::future::try_join_all;
use uuid::Uuid;

use crate::error::Error;
use crate::projection::{Changed, Projection};
use crate::sql;

/// What a page changes about what is to be done.
#[derive(Default)]
pub(crate) struct ToDos {
    set: Vec<(Uuid, ToDo)>,
    /// Ids by process.
    gone: BTreeMap<i16, Vec<Uuid>>,
}

impl Projection for ToDos {
    fn record(&mut self, changed: &Changed) {
        let (before, after) = (changed.to_do_before, changed.to_do());
        let id = Uuid::from_u128(changed.key.id);
        if let Some(to_do) = after.filter(|_| after != before) {
            self.set.push((id, to_do));
        }
        if let Some(old) = before.filter(|old| after.is_none_or(|new| new.process != old.process)) {
            self.gone.entry(old.process.code()).or_default().push(id);
        }
    }

    async fn save(&self, tx: &Transaction<'_>, shard: Shard) -> Result<(), Error> {
        let processes: Vec<_> = self.set.iter().map(|(_, to_do)| to_do.process.code()).collect();
        let ids: Vec<_> = self.set.iter().map(|(id, _)| *id).collect();
        let due_at: Vec<_> = self.set.iter().map(|(_, to_do)| TimestampMs(to_do.due_at.ms())).collect();
        let steps: Vec<_> = self.set.iter().map(|(_, to_do)| to_do.step).collect();
        let params: &sql::Params<'_> = &[&shard, &processes, &ids, &due_at, &steps];
        let deletes = try_join_all(self.gone.iter().map(async |(process, ids)| {
            let params: &sql::Params<'_> = &[&shard, process, ids];
            sql::write(tx, include_str!("delete.sql"), shard, params, ids.len()).await
        }));
        let set = sql::write(tx, include_str!("save.sql"), shard, params, ids.len());
        futures::try_join!(deletes, set).map(|_| ())
    }
}
