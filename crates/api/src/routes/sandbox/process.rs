//! `POST /v3.1/sandbox/trans/{trans_id}/process`

use actix_web::web;
use daybook_domain::TransactionId;
use daybook_domain::transaction::Refusal;

use super::answer::{Answer, answer};
use super::step;
use crate::app::App;
use crate::auth::Sandbox;
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::Record;
use crate::path::InPath;
use crate::wire::transaction::Transaction;

/// Lets a transaction take its next step now.
#[utoipa::path(
    post, path = "/v3.1/sandbox/trans/{trans_id}/process", operation_id = "sandbox.process",
    params(DryRun),
    responses((status = 200, body = Record<Transaction>)),
    security(("X-SP-GATEWAY" = [])),
)]
pub async fn process(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    path: InPath<TransactionId>,
    body: Body,
) -> Answer {
    let id = path.ids()?;
    let done = step::next(&app, &gateway.platform, &gateway.call(&body), id).await?;
    let done = done.map_err(Refusal::NoNextStep)?;
    answer(&app, &gateway.platform, id, &done).await
}
