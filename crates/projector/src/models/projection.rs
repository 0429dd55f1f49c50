//! The interface of a projection: it folds a page of the log into the rows of one read model.
//!
//! A projection collects the changes that a page makes to its tables, then writes them with one statement per table.
//! Collecting cannot fail: an event is a fact.

use std::collections::BTreeSet;

use daybook_domain::process::{ToDo, to_do};
use daybook_domain::transaction::{OpenItem, QueueReason, Status, Transaction as Payment, WaitsFor};
use daybook_domain::{Key, NodeId, State, Timestamp, UserId};
use daybook_log::Shard;
use daybook_pg::GenericClient;

use crate::error::Error;
use crate::models::record::Row;
use crate::store::recorded_event::RecordedEvent;
use crate::store::sql::Target;
use crate::store::version::Tables;

/// A record after a page of the log, with the derived values before the page.
#[derive(Debug)]
pub(crate) struct ChangedRecord {
    /// The record.
    pub(crate) key: Key,
    /// Its row after the page.
    pub(crate) row: Row,
    /// True if the record was created in this page.
    pub(crate) is_new: bool,
    /// Values derived from its state before the page; the defaults if it is new.
    pub(crate) before: DerivedRows,
}

/// Values that other tables derive from the state of a record. They are a function of the state, so their rows are
/// found without reading them first.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct DerivedRows {
    /// The next step of its process.
    pub(crate) to_do: Option<ToDo>,
    /// Open items at banks, each with the time since which it is open.
    pub(crate) open: Vec<(OpenItem, Timestamp)>,
    /// Users and nodes that it waits for, possibly none; no set at all if it is not queued.
    pub(crate) waits_for: Option<BTreeSet<u128>>,
    /// True if lists show the record.
    pub(crate) is_listed: bool,
}

impl DerivedRows {
    /// Derives the values from `state`.
    pub(crate) fn of(state: &State) -> Self {
        let (to_do, is_listed) = (to_do(state), is_listed(state));
        let State::Transaction(transaction) = state else {
            return Self { to_do, is_listed, ..Self::default() };
        };
        let since = transaction.open_since();
        let open = transaction.open_items().into_iter().map(|item| (item, since)).collect();
        let is_queued = transaction.status == Status::Queued;
        Self { to_do, open, waits_for: is_queued.then(|| waits_for(transaction)), is_listed }
    }
}

/// Returns true if lists show a record in this state. A record that lists do not show can still be read by its id.
fn is_listed(state: &State) -> bool {
    match state {
        State::User(user) => user.is_listed(),
        State::Node(node) => node.is_active,
        State::Platform(_)
        | State::Account(_)
        | State::Transaction(_)
        | State::Custody(_)
        | State::Operation(_)
        | State::Subnet(_)
        | State::Subscription(_)
        | State::Attachment(_)
        | State::Attestation(_)
        | State::Statement(_)
        | State::Evidence(_)
        | State::Break(_)
        | State::Roles(_) => true,
    }
}

/// Returns the users and nodes whose change can release a queued transaction. Other causes are cleared by a new day or
/// by the party that set them.
fn waits_for(transaction: &Payment) -> BTreeSet<u128> {
    let Payment { from, to, .. } = transaction;
    let cause = |reason: &QueueReason| match reason {
        QueueReason::SenderPermission => from.user().map(UserId::as_u128),
        QueueReason::ReceiverPermission => to.user().map(UserId::as_u128),
        QueueReason::SenderLocked => from.node().map(NodeId::as_u128),
        QueueReason::ReceiverLocked => to.node().map(NodeId::as_u128),
        QueueReason::DailyLimit
        | QueueReason::Risk
        | QueueReason::SenderNotAuthorised
        | QueueReason::ReceiverNotAuthorised => None,
    };
    let of_fee = |waits_for: &WaitsFor| match waits_for {
        WaitsFor::User(user) => user.as_u128(),
        WaitsFor::Node(node) => node.as_u128(),
    };
    let of_sides = transaction.queue.iter().filter_map(cause);
    of_sides.chain(transaction.waits_for.iter().map(of_fee)).collect()
}

/// Fold of a page of the log into the rows of one read model.
pub(crate) trait Projection: Default {
    /// Values that are kept from page to page; `()` if there are none.
    type Carry: Default;

    /// Folds one event. Events come in the order of the log.
    fn event(&mut self, _happened: &RecordedEvent) {}

    /// Folds one event of a record, with the state after it.
    fn state(&mut self, _happened: &RecordedEvent, _state: &State) {}

    /// Folds one record that the page changed, with the values derived from its new state. New records come in the
    /// order of their creation.
    fn record(&mut self, _changed: &ChangedRecord, _after: &DerivedRows) {}

    /// Reads the rows of the `keys` of its kind; nothing, unless its rows contain the states of records.
    async fn load(
        _db: &impl GenericClient,
        _tables: &Tables,
        _shard: Shard,
        _keys: &[Key],
    ) -> Result<Vec<(Key, Row)>, Error> {
        Ok(vec![])
    }

    /// Writes the rows that result from the folded events and records, or from `changed` alone.
    async fn save(
        &self,
        to: &Target<'_, '_>,
        changed: &[ChangedRecord],
        kept: &mut Self::Carry,
    ) -> Result<(), Error>;
}
