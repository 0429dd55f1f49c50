//! Money across the border of the ledger, settled at once: what credits, debits and dummy transactions have in common.

use daybook_domain::posting::Rail;
use daybook_domain::transaction::receive::{Receive, Way};
use daybook_domain::{Command, NodeId, Origin, TransactionId};
use daybook_engine::access::PlatformRecord;
use daybook_engine::{Call, TransactionDetails};
use daybook_vault::Class;

use super::answer::Answer;
use crate::app::App;
use crate::envelope::Record;
use crate::render;
use crate::wire::transaction::NewReceive;

/// Which node, which way, and by whose credentials.
pub(in crate::routes) struct Crossing {
    pub node: NodeId,
    pub way: Way,
    pub by_gateway: bool,
    pub new: NewReceive,
}

/// Simulates money that comes onto a held node from outside, or leaves it.
pub(in crate::routes) async fn receive(
    app: &App,
    platform: &PlatformRecord,
    call: Call,
    crossing: Crossing,
) -> Answer {
    let Crossing { node, way, by_gateway, new } = crossing;
    let owner = render::owner(app, platform, node).await?;
    let sealer = app.sealer(platform, owner).await?;
    let details = TransactionDetails { note: new.note, ..TransactionDetails::default() };
    let id = TransactionId::from_u128(app.new_id());
    let command = Receive {
        id,
        platform: platform.id,
        node,
        way,
        amount: new.amount,
        rail: Rail::Ach,
        by_gateway,
        origin: Origin::simulated(),
        details: sealer.seal(Class::Profile, &details)?,
    };
    let done = app.engine.submit(call, Command::Receive(Box::new(command))).await?;
    Ok(Record(render::made(app, platform, &done, (id, &details), &done.events).await?).at(&done))
}
