//! `PATCH /v3.1/users/{user_id}/nodes/{node_id}`

use actix_web::web;
use daybook_domain::NodeId;

use super::answer::{Answer, answer};
use super::micro_deposits;
use super::relabel::relabel;
use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::InPath;
use crate::wire::node::{Node, NodeUpdate, Resend, UpdateNode};

/// Verifies or resends micro-deposits, or changes the labels of a node.
#[utoipa::path(
    patch, path = "/v3.1/users/{user_id}/nodes/{node_id}", operation_id = "nodes.update",
    params(DryRun),
    request_body = UpdateNode,
    responses((status = 200, body = Record<Node>)),
)]
pub async fn update(
    app: web::Data<App>,
    caller: Caller<scopes::NodePatch>,
    path: InPath<NodeId>,
    resend: InQuery<Resend>,
    body: Body,
) -> Answer {
    let id = path.ids()?;
    // With the flag, clients send arbitrary bodies or none.
    let done = match resend.values()?.resend_micro {
        Some(true) => Some(micro_deposits::resend(&app, &caller, &body, id).await?),
        flag => match asked(&body, flag.is_some())? {
            NodeUpdate::Nothing => None,
            NodeUpdate::Verify(amounts) => {
                Some(micro_deposits::verify(&app, &caller, &body, id, amounts).await?)
            }
            NodeUpdate::Relabel(labels) => relabel(&app, &caller, &body, id, &labels).await?,
        },
    };
    answer(&app, &caller, id, done.as_ref()).await
}

/// Parses the body. If the flag is sent with another value than "yes", the body may be empty, and then nothing is done.
fn asked(body: &Body, has_flag: bool) -> Result<NodeUpdate, ApiError> {
    if has_flag && body.is_empty() {
        Ok(NodeUpdate::Nothing)
    } else {
        body.json::<UpdateNode>()?.parse(has_flag)
    }
}
