//! `POST /v3.1/users/{user_id}/nodes/{node_id}/subnets`

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
use crate::render;
use crate::wire::subnet::{CreateSubnet, Subnet};

/// Issues an account number (subnet) for a node of the user. External payments to this number reach the node.
#[utoipa::path(
    post, path = "/v3.1/users/{user_id}/nodes/{node_id}/subnets", operation_id = "subnets.create",
    params(DryRun),
    request_body = CreateSubnet,
    responses((status = 200, body = Record<Subnet>)),
)]
pub async fn create(
    app: web::Data<App>,
    caller: Caller<scopes::SubnetsPost>,
    path: InPath<NodeId>,
    body: Body,
) -> Result<WithPosition<Record<Subnet>>, ApiError> {
    let (platform, by) = (&caller.platform, caller.user);
    let node = path.ids()?;
    let new = body.json::<CreateSubnet>()?.parse()?;
    let sealer = app.sealer(platform, by).await?;
    let id = SubnetId::from_u128(app.new_id());
    let details = sealer.seal(Class::Profile, &new.details)?;
    let command = subnet::create::Create { id, platform: platform.id, by, node, class: new.class, details };
    let done = app.engine.submit(caller.call(&body), command).await?;
    let opener = render::Opener::new(&app, platform, &done, [by]).await?;
    let number = render::account_num(&app, platform, &done.events)?;
    Ok(Record(opener.subnet(id, &number)?).at(&done))
}
