//! `GET /v3.1/users/{user_id}/nodes/{node_id}/subnets/{subnet_id}`

use actix_web::web;
use daybook_domain::{NodeId, SubnetId};

use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::InPath;
use crate::render::{self, View};
use crate::wire::moment::AsOf;
use crate::wire::subnet::Subnet;

/// Returns a subnet of a node of the user, current or at an earlier moment.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes/{node_id}/subnets/{subnet_id}", operation_id = "subnets.get",
    responses((status = 200, body = Record<Subnet>)),
)]
pub async fn get(
    app: web::Data<App>,
    caller: Caller<scopes::SubnetGet>,
    path: InPath<(NodeId, SubnetId)>,
    as_of: InQuery<AsOf>,
) -> Result<WithPosition<Record<Subnet>>, ApiError> {
    let (node, id) = path.ids()?;
    let (platform, user) = (&caller.platform, caller.user);
    let view = View::asked(&app, platform, as_of).await?;
    let mut subnets = render::subnets(&app, platform, view, user, node, &[id]).await?;
    subnets.pop().map(|subnet| Record(subnet).at(view.position())).ok_or(ApiError::NotFound)
}
