//! `GET /v3.1/users/{user_id}/nodes/{node_id}/dummy-tran`

use actix_web::{HttpRequest, web};
use daybook_domain::NodeId;
use daybook_domain::transaction::receive::Way;
use daybook_engine::Call;

use crate::app::App;
use crate::auth::{Caller, dry_run, needs};
use crate::body::Body;
use crate::description::params::{DryRun, Dummy};
use crate::envelope::{At, Record};
use crate::error::ApiError;
use crate::path::InPath;
use crate::query::Query;
use crate::render;
use crate::routes::sandbox::receive::{Crossing, receive};
use crate::wire::moment;
use crate::wire::sandbox::{self, Succeeded};
use crate::wire::transaction::NewReceive;

/// Simulates money onto a node of the user, or from it. Outside the sandbox there is no such address.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes/{node_id}/dummy-tran", operation_id = "nodes.dummy_tran",
    params(Dummy, DryRun),
    responses((status = 200, body = Record<Succeeded>)),
)]
pub async fn dummy_tran(
    app: web::Data<App>,
    caller: Caller<needs::TransPost>,
    path: InPath<NodeId>,
    request: HttpRequest,
) -> Result<At<Record<Succeeded>>, ApiError> {
    let (platform, query) = (&caller.platform, Query::of(&request));
    moment::none(query)?;
    let node = path.ids()?;
    if !platform.sandbox || render::owner(&app, platform, node).await? != caller.user {
        return Err(ApiError::NotFound);
    }
    let way = if query.flag("is_credit") { Way::In } else { Way::Out };
    let new = NewReceive { amount: sandbox::dummy_amount(query)?, note: None };
    // A GET that changes something.
    let call = Call { dry_run: dry_run::asked(&request)?, ..caller.call(&Body::default()) };
    let crossing = Crossing { node, way, by_gateway: caller.by_gateway, new };
    let made = receive(&app, platform, call, crossing).await?;
    Ok(made.map(|_| Record(Succeeded::default())))
}
