//! `DELETE /v3.1/users/{user_id}/nodes/{node_id}`

use actix_web::web;
use daybook_domain::NodeId;
use daybook_domain::node::deactivate::Deactivate;

use super::answer::{Answer, answer};
use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::Record;
use crate::path::InPath;
use crate::wire::node::Node;

/// Deletes a node of the user. Lists omit it and new transactions cannot name it; its balance and history stay.
#[utoipa::path(
    delete, path = "/v3.1/users/{user_id}/nodes/{node_id}", operation_id = "nodes.delete",
    params(DryRun),
    responses((status = 200, body = Record<Node>)),
)]
pub async fn deactivate(
    app: web::Data<App>,
    caller: Caller<scopes::NodeDelete>,
    path: InPath<NodeId>,
    body: Body,
) -> Answer {
    let id = path.ids()?;
    let command = Deactivate { node: id, platform: caller.platform.id, by: caller.user };
    let done = app.engine.submit(caller.call(&body), command).await?;
    answer(&app, &caller, id, Some(&done)).await
}
