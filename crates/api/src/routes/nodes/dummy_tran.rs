//! `GET /v3.1/users/{user_id}/nodes/{node_id}/dummy-tran`

use actix_web::{HttpRequest, web};
use daybook_domain::NodeId;
use daybook_domain::transaction::external_transfer::TransferDirection;
use daybook_engine::Call;

use crate::app::App;
use crate::auth::{Caller, dry_run, scopes};
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::InPath;
use crate::render;
use crate::routes::sandbox::external_transfer::{TransferRequest, transfer};
use crate::wire::sandbox::{Dummy, Succeeded};
use crate::wire::transaction::NewReceive;

/// Simulates an external payment to or from a node of the user. Sandbox only: for other platforms the address answers
/// 404.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes/{node_id}/dummy-tran", operation_id = "nodes.dummy_tran",
    params(DryRun),
    responses((status = 200, body = Record<Succeeded>)),
)]
pub async fn dummy_tran(
    app: web::Data<App>,
    caller: Caller<scopes::TransPost>,
    path: InPath<NodeId>,
    dummy: InQuery<Dummy>,
    request: HttpRequest,
) -> Result<WithPosition<Record<Succeeded>>, ApiError> {
    let platform = &caller.platform;
    let node = path.ids()?;
    if !platform.sandbox || render::owner(&app, platform, node).await? != caller.user {
        return Err(ApiError::NotFound);
    }
    let Dummy { is_credit, amount } = dummy.values()?;
    let direction = if is_credit { TransferDirection::In } else { TransferDirection::Out };
    let new = NewReceive { amount, note: None };
    // This GET changes something.
    let call = Call { dry_run: dry_run::asked(&request)?, ..caller.call(&Body::default()) };
    let transfer_request = TransferRequest { node, direction, by_gateway: caller.by_gateway, new };
    let made = transfer(&app, platform, call, transfer_request).await?;
    Ok(made.map(|_| Record(Succeeded::default())))
}
