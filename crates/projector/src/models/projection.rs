//! Projections with a fold of their own, beside the record read models.
//!
//! Each gathers what a page of the log means for its tables, then writes it with one statement per table. Gathering
//! cannot fail: what is recorded has happened.

use std::collections::BTreeSet;

use daybook_domain::process::{ToDo, to_do};
use daybook_domain::transaction::{OpenItem, QueueReason, Status, Transaction as Payment, WaitsFor};
use daybook_domain::{Key, NodeId, State, Timestamp, UserId};
use daybook_log::Shard;
use daybook_pg::GenericClient;

use crate::error::Error;
use crate::models::record::Row;
use crate::store::happened::Happened;
use crate::store::sql::Target;
use crate::store::version::Tables;

/// A record as a page of the log leaves it, and what must be known of how it was before.
#[derive(Debug)]
pub(crate) struct Changed {
    /// Which record.
    pub(crate) key: Key,
    /// How it is now.
    pub(crate) row: Row,
    /// Whether it began in this page.
    pub(crate) is_new: bool,
    /// What followed from it before; nothing if it is new.
    pub(crate) before: Derived,
}

/// What follows from a record's state for tables beside its own. As it is a function of the state, a row is found again
/// without being read.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Derived {
    /// What is to be done about it.
    pub(crate) to_do: Option<ToDo>,
    /// What is open at a bank because of it, and since when.
    pub(crate) open: Vec<(OpenItem, Timestamp)>,
    /// The users and nodes that it waits for, perhaps none; no set at all if it is not held back.
    pub(crate) waits_for: Option<BTreeSet<u128>>,
    /// Whether lists show it.
    pub(crate) is_listed: bool,
}

impl Derived {
    /// What follows from `state`.
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

/// Whether lists show what is in this state. What is not shown may still be fetched by its id.
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
        | State::Attestation(_) => true,
    }
}

/// Whose change may let a transaction go on. Other reasons are cleared by a new day, or by whoever gave them.
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

/// A fold of a page of the log into rows of one read model.
pub(crate) trait Projection: Default {
    /// Values that it keeps from page to page; `()` if there are none.
    type Kept: Default;

    /// Takes in one event; they come in order.
    fn event(&mut self, _happened: &Happened) {}

    /// Takes in one event of a record, and the state after it.
    fn state(&mut self, _happened: &Happened, _state: &State) {}

    /// Takes in one record that the page changed, and what follows from it now; new ones come in the order of their
    /// creation.
    fn record(&mut self, _changed: &Changed, _after: &Derived) {}

    /// Reads the rows of those of `keys` that are of its kind; none unless its rows hold the states of records.
    async fn load(
        _db: &impl GenericClient,
        _tables: &Tables,
        _shard: Shard,
        _keys: &[Key],
    ) -> Result<Vec<(Key, Row)>, Error> {
        Ok(vec![])
    }

    /// Writes the rows that follow from the events and records that it took in, or from `changed` alone.
    async fn save(
        &self,
        to: &Target<'_, '_>,
        changed: &[Changed],
        kept: &mut Self::Kept,
    ) -> Result<(), Error>;
}
