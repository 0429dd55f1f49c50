//! Version 1: one row per process and aggregate, by its due time. A page writes only the difference between the states
//! before and after it. The key of a row is a function of a state, so a row is found without reading it first.

use daybook_domain::PlatformId;
use daybook_domain::process::ToDo;
use daybook_pg::types::TimestampMs;
use uuid::Uuid;

use crate::error::Error;
use crate::models::projection::{ChangedRecord, DerivedRows, Projection};
use crate::store::sql::{self, Target};

/// Changes of to-dos that a page makes.
#[derive(Default)]
pub(crate) struct ToDos {
    new: Columns,
    set: Columns,
    gone: Columns,
}

#[derive(Default)]
struct Columns {
    processes: Vec<i16>,
    due_at: Vec<TimestampMs>,
    ids: Vec<Uuid>,
    steps: Vec<i16>,
    platforms: Vec<Uuid>,
}

impl Columns {
    fn push(&mut self, id: u128, platform: PlatformId, to_do: ToDo) {
        self.processes.push(to_do.process.code());
        self.due_at.push(TimestampMs(to_do.due_at.ms()));
        self.ids.push(Uuid::from_u128(id));
        self.steps.push(to_do.step);
        self.platforms.push(Uuid::from(platform));
    }

    fn row(&self) -> [&dyn sql::Column; 5] {
        [&self.processes, &self.due_at, &self.ids, &self.steps, &self.platforms]
    }
}

impl Projection for ToDos {
    type Carry = ();

    fn record(&mut self, changed: &ChangedRecord, after: &DerivedRows) {
        let key = changed.key;
        // Every aggregate with a to-do knows its platform.
        let Some(platform) = changed.row.current.state.platform(key) else { return };
        let (before, after) = (changed.before.to_do, after.to_do);
        if let Some(set) = after.filter(|_| after != before) {
            let columns = if before.is_none() { &mut self.new } else { &mut self.set };
            columns.push(key.id, platform, set);
        }
        let is_other_row =
            |old: &ToDo| after.is_none_or(|new| (new.process, new.due_at) != (old.process, old.due_at));
        if let Some(old) = before.filter(is_other_row) {
            self.gone.push(key.id, platform, old);
        }
    }

    async fn save(&self, to: &Target<'_, '_>, _: &[ChangedRecord], (): &mut ()) -> Result<(), Error> {
        let (gone, new, set) = (self.gone.row(), self.new.row(), self.set.row());
        let [processes, due_at, ids, ..] = gone;
        let key = [processes, due_at, ids];
        futures::try_join!(
            sql::write(to, include_str!("delete.sql"), &key, self.gone.ids.len()),
            sql::insert(to, include_str!("save.sql"), &new, self.new.ids.len()),
            sql::write(to, include_str!("save.sql"), &set, self.set.ids.len()),
        )?;
        Ok(())
    }
}
