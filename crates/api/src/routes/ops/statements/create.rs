//! `POST /v3.1/ops/platforms/{platform}/statements`

use actix_web::web;
use daybook_engine::Call;

use crate::app::App;
use crate::auth::Operator;
use crate::body::BankFile;
use crate::body::{Body, Upload};
use crate::description::params::DryRun;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::path::{InPath, PlatformName};
use crate::wire::ops::statement::{self, Statement};

/// Books the bank's statement of one day, and returns what each line explains.
#[utoipa::path(
    post, path = "/v3.1/ops/platforms/{platform}/statements", operation_id = "ops.statements.create",
    params(DryRun),
    request_body(content((BankFile = "application/json"), (String = "text/plain"), (String = "text/csv"))),
    responses((status = 200, body = Record<Statement>)),
)]
pub async fn create(
    app: web::Data<App>,
    operator: Operator,
    path: InPath<PlatformName>,
    upload: Upload,
) -> Result<WithPosition<Record<Statement>>, ApiError> {
    let platform = path.ids()?.find(&app).await?;
    // A statement is booked once per day, so it needs no idempotency key.
    let call = Call { key: None, ..operator.call(&platform, &Body::default()) };
    let taken = app.engine.take_statement(&platform, call, &upload.text()?).await?;
    Ok(Record(statement::render(&taken)).at(taken.position))
}
