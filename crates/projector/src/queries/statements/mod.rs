//! Account statements: opening and closing balance of an account for a month that is over, with the entries of that
//! month.
//!
//! A month ends at a position of the log: the last one that was decided before the next month began by the platform's
//! clock. A month is over as soon as an event is recorded after that. Both depend on recorded events only, so a
//! statement is the same at every query (`docs/adr/0030-a-month-ends-at-a-position.md`).

mod clock;
mod closed_months;
mod lifetimes;
mod months;
mod zone;

use std::collections::{BTreeMap, BTreeSet};

use closed_months::ClosedMonths;
use daybook_domain::calendar::Month;
use daybook_domain::{AccountId, Currency, NodeId, PlatformId, Timestamp, UserId};
use daybook_log::{Position, Shard};

use super::aggregates::Aggregates;
use super::balances::Balances;
use crate::error::Error;
use crate::queries::page::{Listed, Page};
use crate::store::Store;
use crate::store::recorded_event::RecordedEvent;

/// Statement of an account for a month that is over; amounts in minor units as the owner sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The node.
    pub node: NodeId,
    /// Currency of the account.
    pub currency: Currency,
    /// The month, in the platform's time zone.
    pub month: Month,
    /// First moment of the month.
    pub begins: Timestamp,
    /// Last moment of the month.
    pub ends: Timestamp,
    /// Position at which the month ends: the closing balance is that after the event at this position.
    pub position: Position,
    /// Balance before the first entry of the month.
    pub opening: i64,
    /// Balance after the last entry of the month.
    pub ending: i64,
    /// Number of entries of the account before the month.
    pub before: u32,
    /// Number of entries in the month.
    pub entries: u32,
}

/// Owner of the statements to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementOwner {
    /// Statements of one node.
    Node(NodeId),
    /// Statements of all nodes of a user that hold money in Daybook, including nodes that lists do not show.
    User(UserId),
}

/// Last entry of an account at a position: its number, and the balance after it.
#[derive(Clone, Copy, Default)]
struct Closing {
    n: u32,
    posted: i64,
}

/// Handle for queries of account statements. Cheap to clone.
#[derive(Clone)]
pub struct Statements {
    store: Store,
    aggregates: Aggregates,
    balances: Balances,
}

impl Statements {
    pub(crate) fn new(store: Store, aggregates: Aggregates, balances: Balances) -> Self {
        Self { store, aggregates, balances }
    }

    /// Returns a page of the statements of accounts in `currency`: the newest month first, within a month in the order
    /// in which the nodes were created.
    ///
    /// # Errors
    ///
    /// [`Error::Undecodable`], or a failure of log or database.
    pub async fn list(
        &self,
        shard: Shard,
        platform: PlatformId,
        owner: StatementOwner,
        currency: Currency,
        page: Page,
    ) -> Result<Listed<Statement>, Error> {
        let closed_months = self.find_closed_months(shard, platform).await?;
        let nodes = match owner {
            StatementOwner::Node(node) => vec![node],
            // Read after the position of the months is known, so every node that was created before it is found.
            StatementOwner::User(user) => self.held_nodes_of(shard, user).await?,
        };
        let lifetimes = self.lifetimes(shard, &closed_months, &nodes, currency).await?;
        let (total, wanted) = months::page(&lifetimes, closed_months.last, page);
        let items = self.statements_for(shard, &closed_months, currency, &wanted).await?;
        Ok(Listed { items, total, position: closed_months.position })
    }

    /// Returns the statement of one account for `month`; none unless the month is over and the account has a statement
    /// for it.
    ///
    /// # Errors
    ///
    /// [`Error::Behind`] if the month is not over by the events that were projected, and the log has more events. As
    /// [`Statements::list`].
    pub async fn find(
        &self,
        shard: Shard,
        platform: PlatformId,
        node: NodeId,
        currency: Currency,
        month: Month,
    ) -> Result<Option<Statement>, Error> {
        let closed_months = self.find_closed_months(shard, platform).await?;
        if month > closed_months.last && closed_months.position < closed_months.head {
            return Err(Error::Behind { cursor: closed_months.position, position: closed_months.head });
        }
        let lifetimes = self.lifetimes(shard, &closed_months, &[node], currency).await?;
        if !lifetimes.iter().any(|lifetime| lifetime.has(month)) {
            return Ok(None);
        }
        Ok(self.statements_for(shard, &closed_months, currency, &[(node, month)]).await?.pop())
    }

    /// Returns entries of a statement in their order, read from the log: at most `limit`, and at most
    /// [`daybook_log::PAGE`], after the first `skipped` ones.
    ///
    /// # Errors
    ///
    /// As [`Statements::list`].
    pub async fn entries(
        &self,
        shard: Shard,
        statement: &Statement,
        skipped: u32,
        limit: u32,
    ) -> Result<Vec<RecordedEvent>, Error> {
        let left = statement.entries.saturating_sub(skipped);
        if left == 0 {
            return Ok(vec![]);
        }
        let account = AccountId::of(statement.node, statement.currency);
        self.balances.entries(shard, account, statement.before + skipped, limit.min(left)).await
    }

    /// Returns a page of the entries of a statement.
    ///
    /// # Errors
    ///
    /// As [`Statements::list`].
    pub async fn page(
        &self,
        shard: Shard,
        statement: &Statement,
        page: Page,
    ) -> Result<Vec<RecordedEvent>, Error> {
        let skipped = u32::try_from(page.offset()).unwrap_or(u32::MAX);
        self.entries(shard, statement, skipped, page.size).await
    }

    /// Returns the statements of these accounts for these months, all of which are over.
    async fn statements_for(
        &self,
        shard: Shard,
        closed_months: &ClosedMonths,
        currency: Currency,
        wanted: &[(NodeId, Month)],
    ) -> Result<Vec<Statement>, Error> {
        let months = wanted.iter().flat_map(|(_, month)| [month.previous(), *month]);
        let mut ends = BTreeMap::new();
        for month in months.collect::<BTreeSet<_>>() {
            ends.insert(month, self.end_of(shard, closed_months, month).await?);
        }
        let end = |month| ends.get(&month).copied().unwrap_or_default();
        let places = wanted.iter().flat_map(|(node, month)| {
            let account = AccountId::of(*node, currency);
            [(account, end(month.previous())), (account, end(*month))]
        });
        let closings = self.closings(shard, &places.collect::<Vec<_>>()).await?;
        let statement = |(&(node, month), both): (&(NodeId, Month), &[Closing])| {
            let [before, after] = both else { return None };
            Some(Statement {
                node,
                currency,
                month,
                begins: closed_months.zone.start(month),
                ends: closed_months.zone.end(month),
                position: end(month),
                opening: before.posted,
                ending: after.posted,
                before: before.n,
                entries: after.n.saturating_sub(before.n),
            })
        };
        Ok(wanted.iter().zip(closings.chunks_exact(2)).filter_map(statement).collect())
    }

    /// Returns the last entry of each account at or before the position beside it; zeros without an entry.
    async fn closings(&self, shard: Shard, places: &[(AccountId, Position)]) -> Result<Vec<Closing>, Error> {
        let (_, found) = self.balances.entries_at(shard, places).await?;
        let closing = |last: RecordedEvent| Some(Closing { n: last.version, posted: last.entry()?.posted });
        Ok(found.into_iter().map(|last| last.and_then(closing).unwrap_or_default()).collect())
    }
}
