//! Ids in a path. What is no id names nothing, so it is answered like an id of nothing.

use std::str::FromStr;

use actix_web::HttpRequest;

use crate::error::ApiError;

/// The id in the path's segment `name`.
///
/// # Errors
///
/// [`ApiError::NotFound`] if it is not an id.
pub(crate) fn id<T: FromStr>(request: &HttpRequest, name: &str) -> Result<T, ApiError> {
    request.match_info().query(name).parse().map_err(|_| ApiError::NotFound)
}
