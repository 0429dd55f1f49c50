//! `GET /v3.1/ops/platforms/{platform}/reconciliation`

use actix_web::web;

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::{InPath, PlatformName};
use crate::wire::ops::reconciliation::{self, PeriodOf, Reconciliation};

/// Returns the reconciliation of a platform with its bank as of now: the tie-out of each currency, the statements of the
/// period, timing differences (open items) and breaks with their ages in banking days. `daybook reconcile bank` reports a
/// past period as it was, with the matches and write-offs in it.
#[utoipa::path(
    get, path = "/v3.1/ops/platforms/{platform}/reconciliation", operation_id = "ops.reconciliation",
    responses((status = 200, body = Record<Reconciliation>)),
)]
pub async fn reconciliation(
    app: web::Data<App>,
    _operator: Operator,
    path: InPath<PlatformName>,
    period: InQuery<PeriodOf>,
) -> Result<WithPosition<Record<Reconciliation>>, ApiError> {
    let period = period.values()?;
    let platform = path.ids()?.find(&app).await?;
    let today = app.engine.today(&platform).await?;
    let report = app.engine.reconciliation(&platform, period.at(today)?, today).await?;
    let report = report.ok_or(ApiError::NotFound)?;
    Ok(Record(reconciliation::render(&report)).at(report.position))
}
