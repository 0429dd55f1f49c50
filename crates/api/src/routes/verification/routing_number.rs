//! `POST /v3.1/routing-number-verification`

use actix_web::web;

use super::OUTSIDE_SERVICE;
use crate::app::App;
use crate::auth::{Gateway, dry_run};
use crate::body::Body;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::wire::routing_number;
use crate::wire::verification::{KnownBank, VerifyRoutingNumber};

/// Returns the bank that accepts payments under a routing number.
#[utoipa::path(
    post, path = "/v3.1/routing-number-verification", operation_id = "verification.routing_number",
    request_body = VerifyRoutingNumber,
    responses((status = 200, body = Record<KnownBank>)),
)]
pub async fn verify(
    app: web::Data<App>,
    gateway: Gateway,
    body: Body,
) -> Result<Record<KnownBank>, ApiError> {
    dry_run::refuse(gateway.dry_run, OUTSIDE_SERVICE)?;
    let wanted = body.json::<VerifyRoutingNumber>()?.parse()?;
    let directory = app.engine.routing_directory(gateway.platform.id).await?;
    let bank = directory.bank_of(&wanted.number, wanted.rail).await?;
    Ok(Record(wanted.of(bank.ok_or_else(routing_number::unknown)?.name)))
}
