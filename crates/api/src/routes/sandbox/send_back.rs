//! `POST /v3.1/sandbox/trans/{trans_id}/return`

use actix_web::web;
use daybook_domain::transaction::returning::Return;
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

/// Sends a transaction back, as its bank would.
#[utoipa::path(
    post, path = "/v3.1/sandbox/trans/{trans_id}/return", operation_id = "sandbox.return",
    params(DryRun),
    request_body = wire::transaction::Return,
    responses((status = 200, body = Record<Transaction>)),
    security(("X-SP-GATEWAY" = [])),
)]
pub async fn send_back(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    path: InPath<TransactionId>,
    body: Body,
) -> Answer {
    let platform = &gateway.platform;
    let id = path.ids()?;
    let (code, leg) = body.json::<wire::transaction::Return>()?.parse()?;
    let command = Return { id, platform: platform.id, code, leg, origin: Origin::simulated() };
    let done = app.engine.submit(gateway.call(&body), Command::Return(command)).await?;
    answer(&app, platform, id, &done).await
}
