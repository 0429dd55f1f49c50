//! `DELETE /v3.1/users/{user_id}/nodes/{node_id}/trans/{trans_id}`

use actix_web::web;
use daybook_domain::transaction::cancel::Cancel;
use daybook_domain::transaction::{self, CancelReason};
use daybook_domain::{Actor, NodeId, Origin, Refusal, TransactionId};
use daybook_engine::SubmitError;

use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::path::InPath;
use crate::render::{self, View};
use crate::wire::transaction::Transaction;

/// Cancels a transaction whose money has not left yet. Only the sender can cancel it.
#[utoipa::path(
    delete, path = "/v3.1/users/{user_id}/nodes/{node_id}/trans/{trans_id}", operation_id = "trans.cancel",
    params(DryRun),
    responses((status = 200, body = Record<Transaction>)),
)]
pub async fn cancel(
    app: web::Data<App>,
    caller: Caller<scopes::TranDelete>,
    path: InPath<(NodeId, TransactionId)>,
    body: Body,
) -> Result<WithPosition<Record<Transaction>>, ApiError> {
    let platform = &caller.platform;
    let (node, id) = path.ids()?;
    let by = render::Viewer::Side { user: caller.user, node };
    let command = Cancel {
        id,
        platform: platform.id,
        sender: Some((caller.user, node)),
        reason: CancelReason::Requested,
        origin: Origin::of(Actor::User(caller.user)),
    };
    let done = match app.engine.submit(caller.call(&body), command).await {
        Err(SubmitError::Refused(Refusal::Transaction(transaction::Refusal::Unknown))) => {
            // The receiver may read the transaction, so it learns the reason of the refusal.
            render::status(&app, platform, by, id).await?;
            let text = "Only the sender can cancel a transaction.";
            return Err(ApiError::Unsupported("cannot_cancel_transaction", text.into()));
        }
        answered => answered?,
    };
    let view = View::after(&app, platform, &done).await?;
    Ok(Record(render::transaction(&app, platform, view, by, id).await?).at(&done))
}
