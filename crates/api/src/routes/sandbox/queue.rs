//! `POST /v3.1/sandbox/trans/{trans_id}/queue`

use actix_web::web;
use daybook_domain::transaction::queue::Queue;
use daybook_domain::{Command, Origin, TransactionId};

use super::answer::{Answer, answer};
use crate::app::App;
use crate::auth::Sandbox;
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::Record;
use crate::path::InPath;
use crate::wire;
use crate::wire::transaction::Transaction;

/// Holds a transaction back.
#[utoipa::path(
    post, path = "/v3.1/sandbox/trans/{trans_id}/queue", operation_id = "sandbox.queue",
    params(DryRun),
    request_body = wire::transaction::Queue,
    responses((status = 200, body = Record<Transaction>)),
    security(("X-SP-GATEWAY" = [])),
)]
pub async fn queue(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    path: InPath<TransactionId>,
    body: Body,
) -> Answer {
    let platform = &gateway.platform;
    let id = path.ids()?;
    let reason = body.json::<wire::transaction::Queue>()?.parse()?;
    let command = Queue { id, platform: platform.id, reason, origin: Origin::simulated() };
    let done = app.engine.submit(gateway.call(&body), Command::Queue(command)).await?;
    answer(&app, platform, id, &done).await
}
