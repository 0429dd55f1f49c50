//! The months for which a node has statements.

use std::collections::HashMap;

use daybook_domain::calendar::Month;
use daybook_domain::{AccountId, Currency, Event, Key, NodeId, States, Timestamp, UserId, node};
use daybook_log::{PAGE, Shard};
use uuid::Uuid;

use super::Statements;
use super::closed_months::ClosedMonths;
use super::months::{self, NodeLifetime};
use crate::error::Error;
use crate::models::nodes;
use crate::store::recorded_event::RecordedEvent;

impl Statements {
    /// Returns the nodes of a user that hold money in Daybook, in the order of their creation.
    pub(super) async fn held_nodes_of(&self, shard: Shard, user: UserId) -> Result<Vec<NodeId>, Error> {
        let kinds = node::NodeKind::ALL.into_iter().filter(|kind| kind.is_held());
        let kinds: Vec<_> = kinds.map(node::NodeKind::as_str).collect();
        let user = Uuid::from(user);
        let rows = self.store.ask(shard, nodes::OF_USER, &[&shard, &user, &kinds]).await?;
        let id = |row: &tokio_postgres::Row| Ok(NodeId::from(row.try_get::<_, Uuid>(0)?));
        rows.iter().map(id).collect()
    }

    /// Returns the months for which each of `nodes` has a statement. Nodes that hold no money in Daybook are left out.
    pub(super) async fn lifetimes(
        &self,
        shard: Shard,
        closed_months: &ClosedMonths,
        nodes: &[NodeId],
        currency: Currency,
    ) -> Result<Vec<NodeLifetime>, Error> {
        let keys: Vec<Key> = nodes.iter().map(|node| Key::from(*node)).collect();
        let found = self.aggregates.records(shard, &keys).await?;
        let is_closed = |node: &NodeId| found.node(*node).is_some_and(|node| !node.is_active);
        let closed: Vec<Key> =
            nodes.iter().filter(|node| is_closed(node)).map(|node| Key::from(*node)).collect();
        let closed = if closed.is_empty() {
            HashMap::new()
        } else {
            self.aggregates.timelines(shard, &closed).await?
        };
        let mut lifetimes = Vec::with_capacity(nodes.len());
        for id in nodes {
            let Some(node) = found.node(*id).filter(|node| node.kind.is_held()) else { continue };
            let month = |at| closed_months.zone.month(at);
            let made = month(node.created_at);
            let closed = closed.get(&Key::from(*id)).map(|events| closed_at(events).map_or(made, month));
            let spans = match closed {
                Some(closed) if closed < closed_months.last => {
                    let account = AccountId::of(*id, currency);
                    let (posted, moved) = self.moved_after(shard, closed_months, account, closed).await?;
                    months::of_closed(made, closed, posted, &moved, closed_months.last)
                }
                _ => months::of_open(made, closed_months.last),
            };
            lifetimes.push(NodeLifetime { node: *id, spans });
        }
        Ok(lifetimes)
    }

    /// Returns the balance of an account at the end of `month`, and its entries after it: the month of each entry, and
    /// the balance after it. A closed node has few of them: transactions that were under way when it was closed, and
    /// returns.
    async fn moved_after(
        &self,
        shard: Shard,
        closed_months: &ClosedMonths,
        account: AccountId,
        month: Month,
    ) -> Result<(i64, Vec<(Month, i64)>), Error> {
        let end = self.end_of(shard, closed_months, month).await?;
        let closings = self.closings(shard, &[(account, end)]).await?;
        let (mut n, posted) = closings.first().map_or((0, 0), |closing| (closing.n, closing.posted));
        let mut moved = vec![];
        loop {
            let entries = self.balances.entries(shard, account, n, PAGE).await?;
            let Some(last) = entries.last() else { break };
            n = last.version;
            moved.extend(
                entries
                    .iter()
                    .filter_map(|entry| Some((closed_months.month_of(entry), posted_after(entry)?))),
            );
        }
        moved.retain(|(month, _)| *month <= closed_months.last);
        Ok((posted, moved))
    }
}

/// Returns the time at which a node was deactivated; none if it was never active.
fn closed_at(events: &[RecordedEvent]) -> Option<Timestamp> {
    let closed =
        events.iter().find(|happened| matches!(happened.event, Event::Node(node::Event::Deactivated(_))));
    closed.map(|happened| happened.effective_at)
}

/// Returns the posted balance after an entry; none if the event is not an entry.
fn posted_after(happened: &RecordedEvent) -> Option<i64> {
    happened.entry().map(|entry| entry.posted)
}
