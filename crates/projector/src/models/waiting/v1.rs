//! Version 1: one row per transaction and user or node that it waits for. The rows do not depend on the size of pages,
//! only on the order of the log: a transaction that is queued again is not free, and a row is free if its user or node
//! was freed after the transaction was queued.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use daybook_domain::user::Permission;
use daybook_domain::{Event, State, Timestamp, node, transaction, user};
use daybook_pg::types::TimestampMs;
use uuid::Uuid;

use crate::error::Error;
use crate::models::projection::{ChangedRecord, DerivedRows, Projection};
use crate::store::recorded_event::RecordedEvent;
use crate::store::sql::{self, Target};

/// Changes that a page makes to waiting transactions.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    /// Position at which each transaction was last queued.
    queued: HashMap<u128, u64>,
    /// Position and time at which each user or node was last freed.
    freed: BTreeMap<u128, (u64, Timestamp)>,
    set: Columns,
    gone: Columns,
}

#[derive(Debug, Default)]
struct Columns {
    waits_for: Vec<Uuid>,
    ids: Vec<Uuid>,
    platforms: Vec<Uuid>,
    freed_at: Vec<Option<TimestampMs>>,
}

impl Waiting {
    /// Returns the time at which a user or node was freed, if that was after `position`.
    fn freed_after(&self, position: u64, waits_for: u128) -> Option<TimestampMs> {
        let (freed, at) = self.freed.get(&waits_for)?;
        (*freed > position).then_some(TimestampMs(at.ms()))
    }
}

/// Returns true if the event frees transactions that wait for this user or node, so that they have to be screened
/// again.
fn frees(event: &Event, state: &State) -> bool {
    match event {
        Event::User(event) => match event {
            user::Event::Verified(_) | user::Event::PermissionSet(_) | user::Event::Unlocked(_) => {
                let ends_it = |permission: Permission| permission.may_receive() || permission.is_closed();
                matches!(state, State::User(user) if ends_it(user.permission()))
            }
            user::Event::Created(_)
            | user::Event::DocumentAdded(_)
            | user::Event::Locked(_)
            | user::Event::ProfileSet(_)
            | user::Event::DocumentChanged(_)
            | user::Event::DocumentRemoved(_)
            | user::Event::RetentionSet(_)
            | user::Event::MicroDepositsCounted(_)
            | user::Event::Erased(_) => false,
        },
        Event::Node(event) => match event {
            node::Event::Unlocked(_) => true,
            node::Event::Created(_)
            | node::Event::Locked(_)
            | node::Event::LimitsSet(_)
            | node::Event::MicroDepositsSent(_)
            | node::Event::MicroDepositsFailed(_)
            | node::Event::MicroDepositsVerified(_)
            | node::Event::MicroDepositsMissed(_)
            | node::Event::Relabeled(_)
            | node::Event::Deactivated(_)
            | node::Event::MicroDepositsResent(_)
            | node::Event::MicroDepositsInapplicable(_)
            | node::Event::AuthorizationEnded(_)
            | node::Event::Corrected(_) => false,
        },
        Event::Platform(_)
        | Event::Account(_)
        | Event::Transaction(_)
        | Event::Custody(_)
        | Event::Operation(_)
        | Event::Subnet(_)
        | Event::Subscription(_)
        | Event::Attachment(_)
        | Event::Attestation(_)
        | Event::Statement(_)
        | Event::Evidence(_)
        | Event::Break(_)
        | Event::Roles(_) => false,
    }
}

impl Projection for Waiting {
    type Carry = ();

    fn state(&mut self, happened: &RecordedEvent, state: &State) {
        let RecordedEvent { key, position, effective_at, .. } = *happened;
        if let Event::Transaction(transaction::Event::Queued(_)) = &happened.event {
            self.queued.insert(key.id, position);
        }
        if frees(&happened.event, state) {
            self.freed.insert(key.id, (position, effective_at));
        }
    }

    fn record(&mut self, changed: &ChangedRecord, after: &DerivedRows) {
        let State::Transaction(transaction) = &changed.row.current.state else { return };
        let none = BTreeSet::new();
        let before = changed.before.waits_for.as_ref().unwrap_or(&none);
        let after = after.waits_for.as_ref().unwrap_or(&none);
        let id = Uuid::from_u128(changed.key.id);
        for waits_for in before.difference(after) {
            self.gone.waits_for.push(Uuid::from_u128(*waits_for));
            self.gone.ids.push(id);
        }
        // A transaction that was not queued in this page waits as before.
        let Some(position) = self.queued.get(&changed.key.id).copied() else { return };
        for waits_for in after {
            let freed_at = self.freed_after(position, *waits_for);
            self.set.waits_for.push(Uuid::from_u128(*waits_for));
            self.set.ids.push(id);
            self.set.platforms.push(Uuid::from(transaction.platform));
            self.set.freed_at.push(freed_at);
        }
    }

    async fn save(&self, to: &Target<'_, '_>, _: &[ChangedRecord], (): &mut ()) -> Result<(), Error> {
        if !self.freed.is_empty() {
            let ids: Vec<_> = self.freed.keys().map(|id| Uuid::from_u128(*id)).collect();
            let times: Vec<_> = self.freed.values().map(|(_, at)| TimestampMs(at.ms())).collect();
            let statement = to.tx.prepare_cached(&to.tables.sql(include_str!("free.sql"))).await?;
            // Runs before the rows of this page are written: these already contain the time at which they were freed.
            to.tx.execute(&statement, &[&to.shard, &ids, &times]).await?;
        }
        let Columns { waits_for, ids, platforms, freed_at } = &self.set;
        let set: &sql::Columns<'_> = &[waits_for, ids, platforms, freed_at];
        let Columns { waits_for, ids: gone_ids, .. } = &self.gone;
        let gone: &sql::Columns<'_> = &[waits_for, gone_ids];
        futures::try_join!(
            sql::write(to, include_str!("delete.sql"), gone, gone_ids.len()),
            sql::write(to, include_str!("save.sql"), set, ids.len()),
        )?;
        Ok(())
    }
}

#[cfg(test)]
impl Waiting {
    /// Does the same as [`Projection::save`], on a table in memory by user or node and by transaction.
    pub(crate) fn write_to(&self, table: &mut BTreeMap<(u128, u128), Option<i64>>) {
        for ((waits_for, _), freed_at) in &mut *table {
            if let Some((_, at)) = self.freed.get(waits_for) {
                *freed_at = Some(at.ms());
            }
        }
        for (waits_for, id) in self.gone.waits_for.iter().zip(&self.gone.ids) {
            assert!(table.remove(&(waits_for.as_u128(), id.as_u128())).is_some(), "{id}");
        }
        let Columns { waits_for, ids, freed_at, .. } = &self.set;
        for (n, waits_for) in waits_for.iter().enumerate() {
            table.insert((waits_for.as_u128(), ids[n].as_u128()), freed_at[n].map(|at| at.0));
        }
    }
}
