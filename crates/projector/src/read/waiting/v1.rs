//! Version 1: one row per transaction and user or node that it waits for; a page writes only the difference.

use std::collections::BTreeMap;

use daybook_domain::transaction::{QueueReason, Status, Transaction};
use daybook_domain::{Event, PlatformId, State, node, user};
use daybook_log::Shard;
use daybook_pg::Transaction as Tx;
use daybook_pg::types::TimestampMs;
use uuid::Uuid;

use crate::decode::Happened;
use crate::error::Error;
use crate::projection::{Changed, Projection};
use crate::sql;

/// For whom a transaction waits; none if it is not held back.
pub(crate) type Waits = Option<Vec<u128>>;

/// For whom `state` waits.
pub(crate) fn waits(state: &State) -> Waits {
    let State::Transaction(transaction) = state else { return None };
    let is_queued = transaction.status == Status::Queued;
    is_queued.then(|| transaction.queue.iter().filter_map(|reason| who(transaction, *reason)).collect())
}

fn who(transaction: &Transaction, reason: QueueReason) -> Option<u128> {
    let (from, to) = (&transaction.from, &transaction.to);
    match reason {
        QueueReason::SenderPermission => from.user().map(daybook_domain::UserId::as_u128),
        QueueReason::ReceiverPermission => to.user().map(daybook_domain::UserId::as_u128),
        QueueReason::SenderLocked => from.node().map(daybook_domain::NodeId::as_u128),
        QueueReason::ReceiverLocked => to.node().map(daybook_domain::NodeId::as_u128),
        QueueReason::DailyLimit
        | QueueReason::Risk
        | QueueReason::SenderNotAuthorised
        | QueueReason::ReceiverNotAuthorised => None,
    }
}

/// What a page changes about who waits.
#[derive(Default)]
pub(crate) struct Waiting {
    set: Vec<(u128, u128, u128)>,
    gone: Vec<(u128, u128)>,
    freed: BTreeMap<u128, i64>,
    queued: Vec<(u128, u128, u64)>,
    unqueued: Vec<u128>,
}

impl Projection for Waiting {
    fn event(&mut self, happened: &Happened) {
        if clears(&happened.event) {
            self.freed.insert(happened.key.id, happened.effective_at.ms());
        }
    }

    fn record(&mut self, changed: &Changed) {
        let (before, after) = (&changed.before.waits, waits(&changed.row.current.state));
        if before.is_none() && after.is_none() {
            return;
        }
        let id = changed.key.id;
        let platform = changed.row.current.state.platform(changed.key).map_or(0, PlatformId::as_u128);
        match (before, &after) {
            (None, Some(_)) => self.queued.push((id, platform, changed.row.position)),
            (Some(_), None) => self.unqueued.push(id),
            (Some(_), Some(_)) | (None, None) => {}
        }
        let (before, after) = (before.as_deref().unwrap_or_default(), after.unwrap_or_default());
        self.gone.extend(before.iter().filter(|who| !after.contains(who)).map(|who| (*who, id)));
        // One that waits anew, for the same as before, has been looked at.
        self.set.extend(after.into_iter().map(|who| (who, id, platform)));
    }

    async fn save(&self, tx: &Tx<'_>, shard: Shard) -> Result<(), Error> {
        let uuids = |ids: &mut dyn Iterator<Item = u128>| ids.map(Uuid::from_u128).collect::<Vec<_>>();
        let gone =
            [uuids(&mut self.gone.iter().map(|row| row.0)), uuids(&mut self.gone.iter().map(|row| row.1))];
        let set = [
            uuids(&mut self.set.iter().map(|row| row.0)),
            uuids(&mut self.set.iter().map(|row| row.1)),
            uuids(&mut self.set.iter().map(|row| row.2)),
        ];
        let queued = [
            uuids(&mut self.queued.iter().map(|row| row.0)),
            uuids(&mut self.queued.iter().map(|row| row.1)),
        ];
        let positions: Vec<_> = self.queued.iter().map(|row| sql::to_i64(row.2)).collect();
        let unqueued = uuids(&mut self.unqueued.iter().copied());
        let freed = uuids(&mut self.freed.keys().copied());
        let freed_at: Vec<_> = self.freed.values().map(|ms| TimestampMs(*ms)).collect();
        let params: &sql::Params<'_> = &[&shard, &gone[0], &gone[1]];
        sql::write(tx, include_str!("delete.sql"), shard, params, self.gone.len()).await?;
        let params: &sql::Params<'_> = &[&shard, &set[0], &set[1], &set[2]];
        sql::write(tx, include_str!("save.sql"), shard, params, self.set.len()).await?;
        let params: &sql::Params<'_> = &[&shard, &queued[0], &queued[1], &positions];
        sql::write(tx, include_str!("queue.sql"), shard, params, self.queued.len()).await?;
        let params: &sql::Params<'_> = &[&shard, &unqueued];
        sql::write(tx, include_str!("unqueue.sql"), shard, params, self.unqueued.len()).await?;
        // Last: who began to wait in this very page may have been freed in it, too. How many wait is not known.
        if !freed.is_empty() {
            let statement = tx.prepare_cached(include_str!("free.sql")).await?;
            tx.execute(&statement, &[&shard, &freed, &freed_at]).await?;
        }
        Ok(())
    }
}

/// Whether somebody who waits may go on because of this.
fn clears(event: &Event) -> bool {
    match event {
        Event::User(event) => match event {
            user::Event::Verified(verified) => verified.permission != user::Permission::Unverified,
            user::Event::PermissionSet(set) => set.permission != user::Permission::Unverified,
            user::Event::Unlocked(_) => true,
            user::Event::Created(_) | user::Event::DocumentAdded(_) | user::Event::Locked(_) => false,
        },
        Event::Node(event) => match event {
            node::Event::Unlocked(_) => true,
            node::Event::Created(_)
            | node::Event::Locked(_)
            | node::Event::LimitsSet(_)
            | node::Event::MicroDepositsSent(_)
            | node::Event::MicroDepositsFailed(_)
            | node::Event::MicroDepositsVerified(_)
            | node::Event::MicroDepositsMissed(_) => false,
        },
        Event::Platform(_)
        | Event::Account(_)
        | Event::Transaction(_)
        | Event::Custody(_)
        | Event::Operation(_) => false,
    }
}
