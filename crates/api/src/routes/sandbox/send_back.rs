//! `POST /v3.1/sandbox/trans/{trans_id}/return`

use actix_web::{HttpRequest, web};
use daybook_domain::transaction::returning::Return;
use daybook_domain::{Command, Origin, TransactionId};

use super::answer::{Answer, answer};
use crate::app::App;
use crate::auth::Sandbox;
use crate::body::Body;
use crate::path;
use crate::wire;

/// Sends a transaction back, as its bank would.
pub async fn send_back(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    request: HttpRequest,
    body: Body,
) -> Answer {
    let platform = &gateway.platform;
    let id: TransactionId = path::id(&request, "trans_id")?;
    let (code, leg) = body.json::<wire::transaction::Return>()?.parse()?;
    let command = Return { id, platform: platform.id, code, leg, origin: Origin::simulated() };
    let done = app.engine.submit(gateway.call(&body), Command::Return(command)).await?;
    answer(&app, platform, id, &done).await
}
