//! `POST /v3.1/sandbox/clock/advance`

use actix_web::web;
use daybook_domain::States;
use daybook_domain::platform::clock::AdvanceClock;

use crate::app::App;
use crate::auth::Sandbox;
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::wire::sandbox::{Advance, Clock};

/// Advances the clock of the sandbox platform. Work that is due by the new time is done before the call returns.
#[utoipa::path(
    post, path = "/v3.1/sandbox/clock/advance", operation_id = "sandbox.clock",
    params(DryRun),
    request_body = Advance,
    responses((status = 200, body = Record<Clock>)),
)]
pub async fn advance(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    body: Body,
) -> Result<WithPosition<Record<Clock>>, ApiError> {
    let platform = gateway.platform.id;
    let ms = body.json::<Advance>()?.parse()?;
    let command = AdvanceClock { platform, ms };
    let done = app.engine.submit(gateway.call(&body), command).await?;
    let now = done.now_of(Some(platform), app.engine.clock().now());
    if !gateway.dry_run {
        app.engine.done_by(gateway.platform.shard, platform, done.position, now).await?;
    }
    Ok(Record(Clock::new(now, ms)).at(&done))
}
