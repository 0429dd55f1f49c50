//! Decisions about a transaction that a sandbox platform makes in place of a bank or an operator, one command each.

use actix_web::web;
use daybook_domain::transaction::CancelReason;
use daybook_domain::transaction::cancel::Cancel;
use daybook_domain::transaction::queue::{Queue, Release};
use daybook_domain::transaction::returning::Return;
use daybook_domain::{Command, Origin, TransactionId};

use super::answer::{Answer, answer};
use crate::app::App;
use crate::auth::{Gateway, Sandbox};
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::Record;
use crate::path::InPath;
use crate::wire;
use crate::wire::transaction::Transaction;

/// Ends a transaction that has not left yet, as the platform.
#[utoipa::path(
    post, path = "/v3.1/sandbox/trans/{trans_id}/cancel", operation_id = "sandbox.cancel",
    params(DryRun),
    responses((status = 200, body = Record<Transaction>)),
)]
pub async fn cancel(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    path: InPath<TransactionId>,
    body: Body,
) -> Answer {
    let (id, platform) = (path.ids()?, gateway.platform.id);
    let reason = CancelReason::Requested;
    let command = Cancel { id, platform, sender: None, reason, origin: Origin::simulated() };
    submit(&app, &gateway, &body, id, command).await
}

/// Holds a transaction back.
#[utoipa::path(
    post, path = "/v3.1/sandbox/trans/{trans_id}/queue", operation_id = "sandbox.queue",
    params(DryRun),
    request_body = wire::transaction::Queue,
    responses((status = 200, body = Record<Transaction>)),
)]
pub async fn queue(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    path: InPath<TransactionId>,
    body: Body,
) -> Answer {
    let (id, platform) = (path.ids()?, gateway.platform.id);
    let reason = body.json::<wire::transaction::Queue>()?.parse()?;
    let command = Queue { id, platform, reason, origin: Origin::simulated() };
    submit(&app, &gateway, &body, id, command).await
}

/// Lets a transaction go on that is held back, unless a cause still stands that nobody can wave away.
#[utoipa::path(
    post, path = "/v3.1/sandbox/trans/{trans_id}/release", operation_id = "sandbox.release",
    params(DryRun),
    responses((status = 200, body = Record<Transaction>)),
)]
pub async fn release(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    path: InPath<TransactionId>,
    body: Body,
) -> Answer {
    let (id, platform) = (path.ids()?, Some(gateway.platform.id));
    let command = Release { id, platform, origin: Origin::simulated() };
    submit(&app, &gateway, &body, id, command).await
}

/// Sends a transaction back, as its bank would.
#[utoipa::path(
    post, path = "/v3.1/sandbox/trans/{trans_id}/return", operation_id = "sandbox.return",
    params(DryRun),
    request_body = wire::transaction::Return,
    responses((status = 200, body = Record<Transaction>)),
)]
pub async fn send_back(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    path: InPath<TransactionId>,
    body: Body,
) -> Answer {
    let (id, platform) = (path.ids()?, gateway.platform.id);
    let (code, leg) = body.json::<wire::transaction::Return>()?.parse()?;
    let command = Return { id, platform, code, leg, origin: Origin::simulated() };
    submit(&app, &gateway, &body, id, command).await
}

/// Submits `command`, which is about the transaction `id`, and answers the transaction.
async fn submit(
    app: &App,
    gateway: &Gateway,
    body: &Body,
    id: TransactionId,
    command: impl Into<Command>,
) -> Answer {
    let done = app.engine.submit(gateway.call(body), command.into()).await?;
    answer(app, &gateway.platform, id, &done).await
}
