//! `PATCH /v3.1/users/{user_id}/nodes/{node_id}/subnets/{subnet_id}`

use actix_web::web;
use daybook_domain::{NodeId, SubnetId, subnet};
use daybook_vault::Class;

use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::path::InPath;
use crate::render::{self, View};
use crate::wire::subnet::{Subnet, UpdateSubnet};

/// Changes the nickname of a subnet, or the directions of payments that it allows.
#[utoipa::path(
    patch, path = "/v3.1/users/{user_id}/nodes/{node_id}/subnets/{subnet_id}", operation_id = "subnets.update",
    params(DryRun),
    request_body = UpdateSubnet,
    responses((status = 200, body = Record<Subnet>)),
)]
pub async fn update(
    app: web::Data<App>,
    caller: Caller<scopes::SubnetPatch>,
    path: InPath<(NodeId, SubnetId)>,
    body: Body,
) -> Result<WithPosition<Record<Subnet>>, ApiError> {
    let (platform, by) = (&caller.platform, caller.user);
    let (node, id) = path.ids()?;
    let new = body.json::<UpdateSubnet>()?.parse()?;
    let sealer = app.sealer(platform, by).await?;
    let details = match new.details {
        Some(details) if details != render::subnet_details(&app, platform, by, id).await? => {
            Some(sealer.seal(Class::Profile, &details)?)
        }
        Some(_) | None => None,
    };
    let command =
        subnet::update::Update { id, platform: platform.id, by, node, allowed: new.allowed, details };
    let done = app.engine.submit(caller.call(&body), command).await?;
    let view = View::after(&app, platform, &done).await?;
    let mut subnets = render::subnets(&app, platform, view, by, node, &[id]).await?;
    subnets.pop().map(|subnet| Record(subnet).at(&done)).ok_or(ApiError::NotFound)
}
