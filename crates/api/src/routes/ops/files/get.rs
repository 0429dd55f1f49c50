//! `GET /v3.1/ops/platforms/{platform}/files/{file_id}`

use actix_web::http::header::ContentType;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::App;
use crate::auth::Operator;
use crate::error::ApiError;
use crate::path;

/// Answers a file as the bank gets it, in the format of its rail.
pub async fn get(
    app: web::Data<App>,
    _operator: Operator,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let platform = path::platform(&app, &request).await?;
    let id = path::id(&request, "file_id")?;
    let custody = app.engine.custody_of(platform.shard, platform.id).await?.ok_or(ApiError::NotFound)?;
    let delivery = app.engine.file(platform.shard, platform.id, custody, id).await?;
    Ok(HttpResponse::Ok().content_type(ContentType::plaintext()).body(delivery.text))
}
