//! `GET /v3.1/institutions`

use actix_web::web;

use crate::app::App;
use crate::auth::Gateway;
use crate::envelope::List;
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::wire::institution::Institution;
use crate::wire::moment::Latest;

/// Lists the banks at which the platform's users can log in, all on one page.
#[utoipa::path(
    get, path = "/v3.1/institutions", operation_id = "institutions.all",
    responses((status = 200, body = List<Institution>)),
)]
pub async fn list(
    app: web::Data<App>,
    gateway: Gateway,
    latest: InQuery<Latest>,
) -> Result<List<Institution>, ApiError> {
    latest.values()?;
    let link = app.engine.bank_link(gateway.platform.id).await?;
    let banks = link.institutions().await?.into_iter().map(Institution::from).collect();
    Ok(List::of_all(banks))
}
