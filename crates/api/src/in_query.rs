//! The query of a request: parameters by their types, read where the handler asks for them, and described by the same types.
//!
//! A parameter that cannot be read is told by [`InQuery::values`] and not when the query is extracted: a caller without
//! access learns nothing about what it asked for.

use std::convert::Infallible;
use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use utoipa::IntoParams;
use utoipa::openapi::path::Parameter;

use crate::error::ApiError;
use crate::query::Query;

/// Parameters that a handler takes together.
pub(crate) trait Parameters: IntoParams + Sized {
    /// Reads them.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if one of them is not what it must be.
    fn read(query: Query<'_>) -> Result<Self, ApiError>;
}

/// The parameters `T` in a request's query.
#[derive(Debug)]
pub struct InQuery<T>(Result<T, ApiError>);

impl<T> InQuery<T> {
    /// The parameters.
    ///
    /// # Errors
    ///
    /// As [`Parameters::read`].
    pub(crate) fn values(self) -> Result<T, ApiError> {
        self.0
    }
}

impl<T: Parameters> FromRequest for InQuery<T> {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self(T::read(Query::of(request)))))
    }
}

/// The description of the parameters `T`.
pub(crate) fn described<T: IntoParams>() -> Vec<Parameter> {
    T::into_params(|| None)
}
