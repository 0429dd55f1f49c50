//! `PATCH /v3.1/users/{user_id}/nodes/{node_id}/trans/{trans_id}`

use actix_web::web;
use daybook_domain::{NodeId, TransactionId, transaction};
use daybook_vault::Class;

use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::path::InPath;
use crate::render::{self, View};
use crate::wire::transaction::{Comment, Transaction};

/// Adds a comment to the status of a transaction.
#[utoipa::path(
    patch, path = "/v3.1/users/{user_id}/nodes/{node_id}/trans/{trans_id}", operation_id = "trans.comment",
    params(DryRun),
    request_body = Comment,
    responses((status = 200, body = Record<Transaction>)),
)]
pub async fn comment(
    app: web::Data<App>,
    caller: Caller<scopes::TranPatch>,
    path: InPath<(NodeId, TransactionId)>,
    body: Body,
) -> Result<WithPosition<Record<Transaction>>, ApiError> {
    let (node, id) = path.ids()?;
    let by = render::Viewer::Side { user: caller.user, node };
    let comment = body.json::<Comment>()?.parse()?;
    let subject = render::subject(&app, &caller.platform, by, id).await?;
    let sealer = app.sealer(&caller.platform, subject).await?;
    let command = transaction::comment::Comment {
        id,
        platform: caller.platform.id,
        by: caller.user,
        node,
        comment: sealer.seal(Class::Profile, &comment)?,
    };
    let done = app.engine.submit(caller.call(&body), command).await?;
    let view = View::after(&app, &caller.platform, &done).await?;
    Ok(Record(render::transaction(&app, &caller.platform, view, by, id).await?).at(&done))
}
