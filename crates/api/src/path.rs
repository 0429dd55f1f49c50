//! Ids in a path. What is no id names nothing, so it is answered like an id of nothing.

use std::str::FromStr;

use std::sync::Arc;

use actix_web::HttpRequest;
use daybook_engine::access::PlatformRecord;

use crate::app::App;
use crate::error::ApiError;
use crate::wire::text;

/// The id in the path's segment `name`.
///
/// # Errors
///
/// [`ApiError::NotFound`] if it is not an id.
pub(crate) fn id<T: FromStr>(request: &HttpRequest, name: &str) -> Result<T, ApiError> {
    request.match_info().query(name).parse().map_err(|_| ApiError::NotFound)
}

/// The number in the path's segment `name`: digits and nothing else.
///
/// # Errors
///
/// [`ApiError::NotFound`] if it is none.
pub(crate) fn number(request: &HttpRequest, name: &str) -> Result<u64, ApiError> {
    text::digits(request.match_info().query(name)).ok_or(ApiError::NotFound)
}

/// The platform in the path's segment `platform`: its client id, or its own.
///
/// # Errors
///
/// [`ApiError::NotFound`] if there is none.
pub(crate) async fn platform(app: &App, request: &HttpRequest) -> Result<Arc<PlatformRecord>, ApiError> {
    let (name, access) = (request.match_info().query("platform"), app.engine.access());
    // A client id is looked up in the database, which takes no NUL.
    text::check(name).map_err(|_| ApiError::NotFound)?;
    let found = match name.parse() {
        Ok(id) => access.platform(id).await?,
        Err(_) => access.platform_of_client(name).await?,
    };
    found.ok_or(ApiError::NotFound)
}
