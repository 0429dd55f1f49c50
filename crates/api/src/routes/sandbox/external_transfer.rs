//! Simulated transfers between a node and an external account, settled immediately: credits, debits and dummy
//! transactions.

use actix_web::web;
use daybook_domain::posting::Rail;
use daybook_domain::transaction::external_transfer::{self, TransferDirection};
use daybook_domain::{NodeId, Origin, TransactionId};
use daybook_engine::access::PlatformRecord;
use daybook_engine::{Call, TransactionDetails};
use daybook_vault::Class;

use super::answer::Answer;
use crate::app::App;
use crate::auth::Sandbox;
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::Record;
use crate::path::InPath;
use crate::render;
use crate::wire::transaction::{NewReceive, Receive, Transaction};

/// Simulates an external payment to a held node, settled immediately. Sandbox only.
#[utoipa::path(
    post, path = "/v3.1/sandbox/nodes/{node_id}/credit", operation_id = "sandbox.credit",
    params(DryRun),
    request_body = Receive,
    responses((status = 200, body = Record<Transaction>)),
)]
pub async fn credit(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    path: InPath<NodeId>,
    body: Body,
) -> Answer {
    let node = path.ids()?;
    let new = body.json::<Receive>()?.parse()?;
    let transfer_request = TransferRequest { node, direction: TransferDirection::In, by_gateway: true, new };
    transfer(&app, &gateway.platform, gateway.call(&body), transfer_request).await
}

/// Simulates an external payment from a held node, settled immediately. Sandbox only.
#[utoipa::path(
    post, path = "/v3.1/sandbox/nodes/{node_id}/debit", operation_id = "sandbox.debit",
    params(DryRun),
    request_body = Receive,
    responses((status = 200, body = Record<Transaction>)),
)]
pub async fn debit(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    path: InPath<NodeId>,
    body: Body,
) -> Answer {
    let node = path.ids()?;
    let new = body.json::<Receive>()?.parse()?;
    let transfer_request = TransferRequest { node, direction: TransferDirection::Out, by_gateway: true, new };
    transfer(&app, &gateway.platform, gateway.call(&body), transfer_request).await
}

/// Parameters of a simulated transfer: node, direction, credentials and amount.
pub(in crate::routes) struct TransferRequest {
    pub node: NodeId,
    pub direction: TransferDirection,
    pub by_gateway: bool,
    pub new: NewReceive,
}

/// Simulates an external transfer to or from a held node.
pub(in crate::routes) async fn transfer(
    app: &App,
    platform: &PlatformRecord,
    call: Call,
    transfer_request: TransferRequest,
) -> Answer {
    let TransferRequest { node, direction, by_gateway, new } = transfer_request;
    let owner = render::owner(app, platform, node).await?;
    let sealer = app.sealer(platform, owner).await?;
    let details = TransactionDetails { note: new.note, ..TransactionDetails::default() };
    let id = TransactionId::from_u128(app.new_id());
    let command = external_transfer::ExternalTransfer {
        id,
        platform: platform.id,
        node,
        direction,
        amount: new.amount,
        rail: Rail::Ach,
        by_gateway,
        origin: Origin::simulated(),
        details: sealer.seal(Class::Profile, &details)?,
    };
    let done = app.engine.submit(call, command).await?;
    Ok(Record(render::made(app, platform, &done, (id, &details), &done.events).await?).at(&done))
}
