//! Decisions about a transaction that a sandbox platform makes in place of a bank or an operator: one command each.

use actix_web::web;
use daybook_domain::transaction::CancelReason;
use daybook_domain::transaction::cancel::Cancel;
use daybook_domain::transaction::queue::{Queue, Release};
use daybook_domain::transaction::returns::ReturnTransaction;
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

/// Cancels a transaction whose money has not left yet. Sandbox only.
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

/// Queues a transaction: holds it back until it is released. Sandbox only.
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

/// Releases a queued transaction, unless a reason remains that cannot be overridden. Sandbox only.
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

/// Simulates the return of a transaction by a bank. Sandbox only.
#[utoipa::path(
    post, path = "/v3.1/sandbox/trans/{trans_id}/return", operation_id = "sandbox.return",
    params(DryRun),
    request_body = wire::transaction::Return,
    responses((status = 200, body = Record<Transaction>)),
)]
pub async fn return_transaction(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    path: InPath<TransactionId>,
    body: Body,
) -> Answer {
    let (id, platform) = (path.ids()?, gateway.platform.id);
    let (code, leg) = body.json::<wire::transaction::Return>()?.parse()?;
    let command = ReturnTransaction { id, platform, code, leg, origin: Origin::simulated() };
    submit(&app, &gateway, &body, id, command).await
}

/// Submits `command`, which concerns the transaction `id`, and returns the transaction.
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
