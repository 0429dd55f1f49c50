//! `POST /v3.1/sandbox/nodes/{node_id}/credit`

use actix_web::web;
use daybook_domain::NodeId;
use daybook_domain::transaction::receive::Way;

use super::answer::Answer;
use super::{Crossing, receive};
use crate::app::App;
use crate::auth::Sandbox;
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::Record;
use crate::path::InPath;
use crate::wire::transaction::{Receive, Transaction};

/// Simulates money from outside onto a held node, settled at once.
#[utoipa::path(
    post, path = "/v3.1/sandbox/nodes/{node_id}/credit", operation_id = "sandbox.credit",
    params(DryRun),
    request_body = Receive,
    responses((status = 200, body = Record<Transaction>)),
    security(("X-SP-GATEWAY" = [])),
)]
pub async fn credit(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    path: InPath<NodeId>,
    body: Body,
) -> Answer {
    let node = path.ids()?;
    let new = body.json::<Receive>()?.parse()?;
    let crossing = Crossing { node, way: Way::In, by_gateway: true, new };
    receive(&app, &gateway.platform, gateway.call(&body), crossing).await
}
