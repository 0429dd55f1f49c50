//! `GET /v3.1/ops/platforms/{platform}/operations/{operation_id}`

use actix_web::{HttpRequest, web};

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::wire::ops::operation::Operation;
use crate::{path, render};

/// Answers an operation.
pub async fn get(
    app: web::Data<App>,
    _operator: Operator,
    request: HttpRequest,
) -> Result<Record<Operation>, ApiError> {
    let platform = path::platform(&app, &request).await?;
    render::operation(&app, &platform, path::id(&request, "operation_id")?).await.map(Record)
}
