//! `GET /v3.1/ops/platforms/{platform}/files/{file_id}`

use actix_web::http::header::ContentType;
use actix_web::{HttpResponse, web};
use daybook_domain::FileId;

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::WithPosition;
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::{InPath, PlatformName};
use crate::render::{self, View};
use crate::wire::moment::AsOf;

/// Returns the content of a file for the bank, in the format of its rail.
#[utoipa::path(
    get, path = "/v3.1/ops/platforms/{platform}/files/{file_id}", operation_id = "ops.files.get",
    responses((status = 200, body = String, content_type = "text/plain")),
)]
pub async fn get(
    app: web::Data<App>,
    _operator: Operator,
    path: InPath<(PlatformName, FileId)>,
    as_of: InQuery<AsOf>,
) -> Result<WithPosition<HttpResponse>, ApiError> {
    let (platform, id) = path.ids()?;
    let platform = platform.find(&app).await?;
    let custody = app.engine.custody_of(platform.shard, platform.id).await?.ok_or(ApiError::NotFound)?;
    let view = View::asked(&app, &platform, as_of).await?;
    render::file_was_cut(&app, &platform, view, custody, id).await?;
    let delivery = app.engine.file(platform.shard, platform.id, custody, id).await?;
    let answer = HttpResponse::Ok().content_type(ContentType::plaintext()).body(delivery.text);
    Ok(WithPosition::of(answer, view.position()))
}
