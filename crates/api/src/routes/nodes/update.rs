//! `PATCH /v3.1/users/{user_id}/nodes/{node_id}`

use actix_web::{HttpRequest, web};
use daybook_domain::node::verify::{MAX_MISSED, VerifyMicroDeposits};
use daybook_domain::{Command, Event, NodeId, node};
use daybook_projector::Happened;

use crate::app::App;
use crate::auth::{Caller, needs};
use crate::body::Body;
use crate::envelope::{At, Record};
use crate::error::ApiError;
use crate::path;
use crate::render;
use crate::wire::node::{Node, UpdateNode};

/// Takes in the micro-deposits that the owner tells. A wrong guess is recorded, and answered as a conflict.
pub async fn update(
    app: web::Data<App>,
    caller: Caller<needs::NodePatch>,
    request: HttpRequest,
    body: Body,
) -> Result<At<Record<Node>>, ApiError> {
    let id: NodeId = path::id(&request, "node_id")?;
    let amounts = body.json::<UpdateNode>()?.parse()?;
    let (platform, by) = (caller.platform.id, caller.user);
    let command = VerifyMicroDeposits { node: id, platform, by, amounts };
    let done = app.engine.submit(caller.call(&body), Command::VerifyMicroDeposits(command)).await?;
    done.events.iter().find_map(missed).map_or(Ok(()), Err)?;
    let mut nodes = render::nodes(&app, &caller.platform, Some(caller.user), &[id]).await?;
    nodes.pop().map(|node| Record(node).at(done.position)).ok_or(ApiError::NotFound)
}

/// What a wrong guess is answered.
fn missed(happened: &Happened) -> Option<ApiError> {
    let Event::Node(node::Event::MicroDepositsMissed(missed)) = &happened.event else { return None };
    let left = MAX_MISSED.saturating_sub(missed.attempts);
    let text = format!("Wrong micro-deposit amounts; {left} tries left.");
    Some(ApiError::Conflict("wrong_micro_deposits", text.into()))
}
