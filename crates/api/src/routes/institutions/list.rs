//! `GET /v3.1/institutions`

use actix_web::{HttpRequest, web};

use crate::app::App;
use crate::auth::Gateway;
use crate::envelope::List;
use crate::error::ApiError;
use crate::query::Query;
use crate::wire::institution::Institution;
use crate::wire::moment;

/// Lists the banks at which the platform's users can log in, all on one page.
#[utoipa::path(
    get, path = "/v3.1/institutions", operation_id = "institutions.all",
    responses((status = 200, body = List<Institution>)),
)]
pub async fn list(
    app: web::Data<App>,
    gateway: Gateway,
    request: HttpRequest,
) -> Result<List<Institution>, ApiError> {
    moment::none(Query::of(&request))?;
    let link = app.engine.bank_link(gateway.platform.id).await?;
    let banks = link.institutions().await?.into_iter().map(Institution::from).collect();
    Ok(List::of_all(banks))
}
