//! `POST /v3.1/sandbox/nodes/{node_id}/credit`

use actix_web::{HttpRequest, web};
use daybook_domain::transaction::receive::Way;

use super::answer::Answer;
use super::{Crossing, receive};
use crate::app::App;
use crate::auth::Sandbox;
use crate::body::Body;
use crate::path;
use crate::wire::transaction::Receive;

/// Simulates money from outside onto a held node, settled at once.
pub async fn credit(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    request: HttpRequest,
    body: Body,
) -> Answer {
    let node = path::id(&request, "node_id")?;
    let new = body.json::<Receive>()?.parse()?;
    receive(&app, &gateway.platform, gateway.call(&body), Crossing { node, way: Way::In, new }).await
}
