//! `POST /v3.1/sandbox/trans/{trans_id}/release`

use actix_web::web;
use daybook_domain::transaction::queue::Release;
use daybook_domain::{Command, Origin, TransactionId};

use super::answer::{Answer, answer};
use crate::app::App;
use crate::auth::Sandbox;
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::Record;
use crate::path::InPath;
use crate::wire::transaction::Transaction;

/// Lets a transaction go on that is held back, unless a cause still stands that nobody can wave away.
#[utoipa::path(
    post, path = "/v3.1/sandbox/trans/{trans_id}/release", operation_id = "sandbox.release",
    params(DryRun),
    responses((status = 200, body = Record<Transaction>)),
    security(("X-SP-GATEWAY" = [])),
)]
pub async fn release(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    path: InPath<TransactionId>,
    body: Body,
) -> Answer {
    let platform = &gateway.platform;
    let id = path.ids()?;
    let command = Release { id, platform: Some(platform.id), origin: Origin::simulated() };
    let done = app.engine.submit(gateway.call(&body), Command::Release(command)).await?;
    answer(&app, platform, id, &done).await
}
