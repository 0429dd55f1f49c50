//! `POST /v3.1/sandbox/trans/{trans_id}/cancel`

use actix_web::web;
use daybook_domain::transaction::CancelReason;
use daybook_domain::transaction::cancel::Cancel;
use daybook_domain::{Command, Origin, TransactionId};

use super::answer::{Answer, answer};
use crate::app::App;
use crate::auth::Sandbox;
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::Record;
use crate::path::InPath;
use crate::wire::transaction::Transaction;

/// Ends a transaction that has not left yet, as the platform.
#[utoipa::path(
    post, path = "/v3.1/sandbox/trans/{trans_id}/cancel", operation_id = "sandbox.cancel",
    params(DryRun),
    responses((status = 200, body = Record<Transaction>)),
    security(("X-SP-GATEWAY" = [])),
)]
pub async fn cancel(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    path: InPath<TransactionId>,
    body: Body,
) -> Answer {
    let platform = &gateway.platform;
    let id = path.ids()?;
    let command = Cancel {
        id,
        platform: platform.id,
        sender: None,
        reason: CancelReason::Requested,
        origin: Origin::simulated(),
    };
    let done = app.engine.submit(gateway.call(&body), Command::Cancel(command)).await?;
    answer(&app, platform, id, &done).await
}
