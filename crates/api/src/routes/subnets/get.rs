//! `GET /v3.1/users/{user_id}/nodes/{node_id}/subnets/{subnet_id}`

use actix_web::{HttpRequest, web};
use daybook_domain::SubnetId;

use crate::app::App;
use crate::auth::{Caller, needs};
use crate::envelope::Record;
use crate::error::ApiError;
use crate::wire::subnet::Subnet;
use crate::{path, render};

/// Answers a subnet of one of the user's nodes.
pub async fn get(
    app: web::Data<App>,
    caller: Caller<needs::SubnetGet>,
    request: HttpRequest,
) -> Result<Record<Subnet>, ApiError> {
    let (node, id): (_, SubnetId) = (path::id(&request, "node_id")?, path::id(&request, "subnet_id")?);
    let mut subnets = render::subnets(&app, &caller.platform, caller.user, node, &[id]).await?;
    subnets.pop().map(Record).ok_or(ApiError::NotFound)
}
