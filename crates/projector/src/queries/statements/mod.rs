//! Account statements: what an account held at both ends of a month that is over, and its entries in between.
//!
//! A month ends at a position of the log: the last one that was decided before the next month began by the platform's
//! clock. A month is over as soon as something is recorded after that. Both follow from what is recorded and from
//! nothing else, so a statement is the same whenever it is asked for (`docs/adr/0030-a-month-ends-at-a-position.md`).

mod clock;
mod lives;
mod months;
mod over;
mod zone;

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::calendar::Month;
use daybook_domain::{AccountId, Currency, NodeId, PlatformId, Timestamp, UserId};
use daybook_log::{Position, Shard};
use over::Over;

use super::aggregates::Aggregates;
use super::balances::Balances;
use crate::error::Error;
use crate::queries::page::{Listed, Page};
use crate::store::Store;
use crate::store::happened::Happened;

/// An account in a month that is over; amounts in minor units as its owner sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The node.
    pub node: NodeId,
    /// The currency of the account.
    pub currency: Currency,
    /// The month, of the platform's time zone.
    pub month: Month,
    /// Its first moment.
    pub begins: Timestamp,
    /// Its last moment.
    pub ends: Timestamp,
    /// Where the month ends: the ending balance is that after the event at this position.
    pub position: Position,
    /// What was posted before its first entry.
    pub opening: i64,
    /// What was posted after its last one.
    pub ending: i64,
    /// How many entries the account has before it.
    pub before: u32,
    /// How many entries it has itself.
    pub entries: u32,
}

/// Whose statements are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Those of a node.
    Node(NodeId),
    /// Those of all nodes of a user whose money is here, be they in the lists or not.
    User(UserId),
}

/// The last entry of an account at some position: its number and what was posted after it.
#[derive(Clone, Copy, Default)]
struct Closing {
    n: u32,
    posted: i64,
}

/// Questions for account statements. Cheap to clone.
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

    /// The statements of accounts in `currency`: the newest month first, of one month in the order in which the nodes
    /// were made.
    ///
    /// # Errors
    ///
    /// [`Error::Undecodable`], or a failure of log or database.
    pub async fn list(
        &self,
        shard: Shard,
        platform: PlatformId,
        whose: Whose,
        currency: Currency,
        page: Page,
    ) -> Result<Listed<Statement>, Error> {
        let over = self.months_over(shard, platform).await?;
        let nodes = match whose {
            Whose::Node(node) => vec![node],
            // After that position is known: every node that was made before it is found.
            Whose::User(user) => self.held_nodes_of(shard, user).await?,
        };
        let lives = self.lives(shard, &over, &nodes, currency).await?;
        let (total, wanted) = months::page(&lives, over.last, page);
        let items = self.statements_for(shard, &over, currency, &wanted).await?;
        Ok(Listed { items, total, position: over.position })
    }

    /// The statement of one account for `month`; none unless that is over and the account has one for it.
    ///
    /// # Errors
    ///
    /// [`Error::Behind`] if the month is not over as far as the projection has come, and that is not all there is. As
    /// [`Statements::list`].
    pub async fn find(
        &self,
        shard: Shard,
        platform: PlatformId,
        node: NodeId,
        currency: Currency,
        month: Month,
    ) -> Result<Option<Statement>, Error> {
        let over = self.months_over(shard, platform).await?;
        if month > over.last && over.position < over.head {
            return Err(Error::Behind { cursor: over.position, position: over.head });
        }
        let lives = self.lives(shard, &over, &[node], currency).await?;
        if !lives.iter().any(|life| life.has(month)) {
            return Ok(None);
        }
        Ok(self.statements_for(shard, &over, currency, &[(node, month)]).await?.pop())
    }

    /// Entries of a statement in their order, straight from the log: at most `limit`, and at most [`daybook_log::PAGE`],
    /// after the first `skipped`.
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
    ) -> Result<Vec<Happened>, Error> {
        let left = statement.entries.saturating_sub(skipped);
        if left == 0 {
            return Ok(vec![]);
        }
        let account = AccountId::of(statement.node, statement.currency);
        self.balances.entries(shard, account, statement.before + skipped, limit.min(left)).await
    }

    /// A page of the entries of a statement.
    ///
    /// # Errors
    ///
    /// As [`Statements::list`].
    pub async fn page(
        &self,
        shard: Shard,
        statement: &Statement,
        page: Page,
    ) -> Result<Vec<Happened>, Error> {
        let skipped = u32::try_from(page.offset()).unwrap_or(u32::MAX);
        self.entries(shard, statement, skipped, page.size).await
    }

    /// The statements of these accounts for these months, each of which is over.
    async fn statements_for(
        &self,
        shard: Shard,
        over: &Over,
        currency: Currency,
        wanted: &[(NodeId, Month)],
    ) -> Result<Vec<Statement>, Error> {
        let months = wanted.iter().flat_map(|(_, month)| [month.previous(), *month]);
        let mut ends = BTreeMap::new();
        for month in months.collect::<BTreeSet<_>>() {
            ends.insert(month, self.end_of(shard, over, month).await?);
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
                begins: over.zone.start(month),
                ends: over.zone.end(month),
                position: end(month),
                opening: before.posted,
                ending: after.posted,
                before: before.n,
                entries: after.n.saturating_sub(before.n),
            })
        };
        Ok(wanted.iter().zip(closings.chunks_exact(2)).filter_map(statement).collect())
    }

    /// The last entry of each account at or before the position beside it; zeros if there is none.
    async fn closings(&self, shard: Shard, places: &[(AccountId, Position)]) -> Result<Vec<Closing>, Error> {
        let (_, found) = self.balances.entries_at(shard, places).await?;
        let closing = |last: Happened| Some(Closing { n: last.version, posted: last.entry()?.posted });
        Ok(found.into_iter().map(|last| last.and_then(closing).unwrap_or_default()).collect())
    }
}
