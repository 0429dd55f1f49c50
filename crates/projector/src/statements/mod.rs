//! Account statements: what an account held at both ends of a month that is over, and its entries in between.
//!
//! A month ends at a position of the log: the last one that was decided before the next month began by the platform's
//! clock. A month is over as soon as something is recorded after that. Both follow from what is recorded and from
//! nothing else, so a statement is the same whenever it is asked for (`docs/adr/0030-a-month-ends-at-a-position.md`).

mod clock;
mod months;

use std::collections::{BTreeMap, HashMap};

use clock::Clock;
use daybook_domain::calendar::{Day, Month};
use daybook_domain::{AccountId, Currency, Event, Key, NodeId, PlatformId, States, UserId, account, node};
use daybook_log::{PAGE, Position, Shard};
use months::Life;
use uuid::Uuid;

use crate::decode::Happened;
use crate::error::Error;
use crate::list::{Listed, PATIENCE, Page};
use crate::{Reads, read, sql};

/// An account in a month that is over; amounts in minor units as its owner sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The node.
    pub node: NodeId,
    /// The currency of the account.
    pub currency: Currency,
    /// The month.
    pub month: Month,
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

/// The months of a platform that are over, as far as the projection has come.
struct Over {
    clock: Clock,
    last: Month,
    position: Position,
}

/// The last entry of an account at some position: its number and what was posted after it.
#[derive(Clone, Copy)]
struct Closing {
    n: u32,
    posted: i64,
}

impl Over {
    /// The month in which an entry was decided, whenever it counts.
    fn month_of(&self, entry: &Happened) -> Month {
        Month::of(Day::of(self.clock.time_of(entry.position, entry.recorded_at)))
    }
}

impl Reads {
    /// The statements of accounts in `currency`: the newest month first, of one month in the order in which the nodes
    /// were made.
    ///
    /// # Errors
    ///
    /// [`Error::Undecodable`], or a failure of log or database.
    pub async fn statements(
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
    /// As [`Reads::statements`].
    pub async fn statement(
        &self,
        shard: Shard,
        platform: PlatformId,
        node: NodeId,
        currency: Currency,
        month: Month,
    ) -> Result<Option<Statement>, Error> {
        let over = self.months_over(shard, platform).await?;
        let lives = self.lives(shard, &over, &[node], currency).await?;
        if !lives.iter().any(|life| life.has(month)) {
            return Ok(None);
        }
        Ok(self.statements_for(shard, &over, currency, &[(node, month)]).await?.pop())
    }

    /// Entries of a statement in their order, straight from the log: at most `limit`, and at most [`PAGE`], after the first
    /// `skipped`.
    ///
    /// # Errors
    ///
    /// As [`Reads::statements`].
    pub async fn statement_entries(
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
        self.entries(shard, account, statement.before + skipped, limit.min(left)).await
    }

    /// A page of the entries of a statement.
    ///
    /// # Errors
    ///
    /// As [`Reads::statements`].
    pub async fn statement_page(
        &self,
        shard: Shard,
        statement: &Statement,
        page: Page,
    ) -> Result<Vec<Happened>, Error> {
        let skipped = u32::try_from(page.offset()).unwrap_or(u32::MAX);
        self.statement_entries(shard, statement, skipped, page.size).await
    }

    /// Waits a moment for what was recorded, and tells which months are over by then.
    async fn months_over(&self, shard: Shard, platform: PlatformId) -> Result<Over, Error> {
        let head = self.log.head(shard).await?.position;
        let mut position = self.position(shard).await?;
        if position < head {
            self.log.observe(shard, head);
            position = self.caught_up(shard, head, PATIENCE).await?;
        }
        let seen = self.log.boundary(shard, position).await?;
        let key = Key::from(platform);
        // Read after the position, so no advance of the clock up to it is missing.
        let events = self.timelines(shard, &[key]).await?.remove(&key).unwrap_or_default();
        let clock = Clock::of(&events);
        let last = Month::of(Day::of(clock.time_after(seen))).previous();
        Ok(Over { clock, last, position })
    }

    /// The position at which a month that is over ends.
    async fn end_of(&self, shard: Shard, over: &Over, month: Month) -> Result<Position, Error> {
        let next = over.clock.beginning(month.next().start());
        let recorded = self.log.position_at(shard, next.recorded.plus_ms(-1).ms()).await?;
        Ok(next.position.map_or(recorded, |last| recorded.min(last)))
    }

    /// Nodes of a user whose money is here, in the order in which they were made.
    async fn held_nodes_of(&self, shard: Shard, user: UserId) -> Result<Vec<NodeId>, Error> {
        let kinds = node::NodeKind::ALL.into_iter().filter(|kind| kind.is_held());
        let kinds: Vec<_> = kinds.map(node::NodeKind::as_str).collect();
        let user = Uuid::from_u128(user.as_u128());
        let rows = self.ask(shard, read::nodes::OF_USER, &[&shard, &user, &kinds]).await?;
        let id = |row: &tokio_postgres::Row| Ok(NodeId::from_u128(row.try_get::<_, Uuid>(0)?.as_u128()));
        rows.iter().map(id).collect()
    }

    /// For which months each of `nodes` has a statement; those whose money is elsewhere are left out.
    async fn lives(
        &self,
        shard: Shard,
        over: &Over,
        nodes: &[NodeId],
        currency: Currency,
    ) -> Result<Vec<Life>, Error> {
        let keys: Vec<Key> = nodes.iter().map(|node| Key::from(*node)).collect();
        let found = self.records(shard, &keys).await?;
        let is_closed = |node: &NodeId| found.node(*node).is_some_and(|node| !node.is_active);
        let closed: Vec<Key> =
            nodes.iter().filter(|node| is_closed(node)).map(|node| Key::from(*node)).collect();
        let closed = if closed.is_empty() { HashMap::new() } else { self.timelines(shard, &closed).await? };
        let mut lives = Vec::with_capacity(nodes.len());
        for id in nodes {
            let Some(node) = found.node(*id).filter(|node| node.kind.is_held()) else { continue };
            let made = Month::of(Day::of(node.created_at));
            let spans = match closed.get(&Key::from(*id)).map(|events| closed_in(events).unwrap_or(made)) {
                Some(closed) if closed < over.last => {
                    let account = AccountId::of(*id, currency);
                    let (posted, moved) = self.moved_after(shard, over, account, closed).await?;
                    months::of_closed(made, closed, posted, &moved, over.last)
                }
                _ => months::of_open(made, over.last),
            };
            lives.push(Life { node: *id, spans });
        }
        Ok(lives)
    }

    /// What an account held at the end of `month`, and what moved after it: the month of each entry, and what was posted
    /// then. A closed node has few such: what was under way when it was closed, and what came back.
    async fn moved_after(
        &self,
        shard: Shard,
        over: &Over,
        account: AccountId,
        month: Month,
    ) -> Result<(i64, Vec<(Month, i64)>), Error> {
        let end = self.end_of(shard, over, month).await?;
        let closings = self.closings(shard, &[(account, end)]).await?;
        let (mut n, posted) = closings.first().map_or((0, 0), |closing| (closing.n, closing.posted));
        let mut moved = vec![];
        loop {
            let entries = self.entries(shard, account, n, PAGE).await?;
            let Some(last) = entries.last() else { break };
            n = last.version;
            moved.extend(
                entries.iter().filter_map(|entry| Some((over.month_of(entry), posted_after(entry)?))),
            );
        }
        moved.retain(|(month, _)| *month <= over.last);
        Ok((posted, moved))
    }

    /// The statements of these accounts for these months, each of which is over.
    async fn statements_for(
        &self,
        shard: Shard,
        over: &Over,
        currency: Currency,
        wanted: &[(NodeId, Month)],
    ) -> Result<Vec<Statement>, Error> {
        let mut ends = BTreeMap::new();
        for month in wanted.iter().flat_map(|(_, month)| [month.previous(), *month]) {
            if !ends.contains_key(&month) {
                ends.insert(month, self.end_of(shard, over, month).await?);
            }
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
        if places.is_empty() {
            return Ok(vec![]);
        }
        let accounts: Vec<_> = places.iter().map(|(account, _)| Uuid::from_u128(account.as_u128())).collect();
        let positions: Vec<_> = places.iter().map(|(_, position)| sql::to_i64(*position)).collect();
        let rows = self.ask(shard, read::entries::AT_EACH, &[&shard, &accounts, &positions]).await?;
        let closing = |row: &tokio_postgres::Row| -> Result<Closing, Error> {
            Ok(Closing { n: sql::to_u32(row.try_get(0)?), posted: row.try_get(1)? })
        };
        rows.iter().map(closing).collect()
    }
}

/// The month in which a node was deactivated; none if it never was active.
fn closed_in(events: &[Happened]) -> Option<Month> {
    let closed =
        events.iter().find(|happened| matches!(happened.event, Event::Node(node::Event::Deactivated(_))));
    closed.map(|happened| Month::of(Day::of(happened.effective_at)))
}

/// What was posted after an entry; none if the event is no entry.
fn posted_after(happened: &Happened) -> Option<i64> {
    let Event::Account(account::Event::Entry(entry)) = &happened.event else { return None };
    Some(entry.posted)
}
