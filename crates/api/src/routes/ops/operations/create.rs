//! `POST /v3.1/ops/platforms/{platform}/operations`

use actix_web::web;
use daybook_domain::{Refusal, node, transaction, user};
use daybook_engine::SubmitError;
use daybook_engine::ops::{OpsError, right_of};

use crate::app::App;
use crate::auth::Operator;
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::path::{InPath, PlatformName};
use crate::render::{self, View};
use crate::wire::ops::operate::Operate;
use crate::wire::ops::operation::Operation;

/// Executes an operation on the ledger, or requests another operator's approval for it. Kinds of operations that need
/// approval are configured per platform.
#[utoipa::path(
    post, path = "/v3.1/ops/platforms/{platform}/operations", operation_id = "ops.operations.create",
    params(DryRun),
    request_body = Operate,
    responses((status = 200, body = Record<Operation>)),
)]
pub async fn create(
    app: web::Data<App>,
    operator: Operator,
    path: InPath<PlatformName>,
    body: Body,
) -> Result<WithPosition<Record<Operation>>, ApiError> {
    let platform = path.ids()?.find(&app).await?;
    let new = body.json::<Operate>()?.parse()?;
    operator.require(right_of(&new.act))?;
    let call = operator.call(&platform, &body);
    let done = app.engine.operate(&platform, call, operator.id, new.act, new.reason).await;
    let (id, done) = done.map_err(refused)?;
    let view = View::after(&app, &platform, &done).await?;
    Ok(Record(render::operation(&app, &platform, view, id).await?).at(&done))
}

/// Returns the error for a refused operation. An unknown object is reported by the field of the body that names it.
fn refused(error: OpsError) -> ApiError {
    let field = match &error {
        OpsError::Submit(SubmitError::Refused(refusal)) => match refusal {
            Refusal::Transaction(transaction::Refusal::Unknown) => Some("act.trans_id"),
            Refusal::Node(node::Refusal::Unknown) => Some("act.node_id"),
            Refusal::User(user::Refusal::Unknown) => Some("act.user_id"),
            _ => None,
        },
        _ => None,
    };
    field.map_or_else(|| error.into(), ApiError::nothing_at)
}
