//! `POST /v3.1/address-verification`

use actix_web::web;

use super::OUTSIDE_SERVICE;
use crate::app::App;
use crate::auth::{Gateway, dry_run};
use crate::body::Body;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::wire::verification::{CheckedAddress, VerifyAddress};

/// Checks whether mail can be delivered to an address, and returns its standard spelling. Nothing is stored.
#[utoipa::path(
    post, path = "/v3.1/address-verification", operation_id = "verification.address",
    request_body = VerifyAddress,
    responses((status = 200, body = Record<CheckedAddress>)),
)]
pub async fn verify(
    app: web::Data<App>,
    gateway: Gateway,
    body: Body,
) -> Result<Record<CheckedAddress>, ApiError> {
    dry_run::refuse(gateway.dry_run, OUTSIDE_SERVICE)?;
    let address = body.json::<VerifyAddress>()?.parse()?;
    let check = app.engine.address_check(gateway.platform.id).await?;
    Ok(Record(check.check(&address).await?.into()))
}
