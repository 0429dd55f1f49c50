//! `GET /v3.1/ops/operators/me`

use actix_web::web;

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::wire;
use crate::wire::moment::Latest;

/// Returns the operator that makes the call.
#[utoipa::path(
    get, path = "/v3.1/ops/operators/me", operation_id = "ops.me",
    responses((status = 200, body = Record<wire::operator::Operator>)),
)]
pub async fn me(
    app: web::Data<App>,
    operator: Operator,
    latest: InQuery<Latest>,
) -> Result<Record<wire::operator::Operator>, ApiError> {
    // Operators are not in the log, so there is no earlier state.
    latest.values()?;
    Ok(Record(wire::operator::render(operator.id, &operator.name, &app.base_url)))
}
