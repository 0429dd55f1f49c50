//! Query of a request: parameters by their types, read where the handler asks for them and described by the same types.
//!
//! [`InQuery::values`] reports an invalid parameter; extraction does not. So the credentials are checked first, and a
//! caller without access learns nothing from the answer.

use std::convert::Infallible;
use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use utoipa::IntoParams;
use utoipa::openapi::path::Parameter;

use crate::error::ApiError;
use crate::query::Query;

/// Query parameters that a handler takes together.
pub(crate) trait Parameters: IntoParams + Sized {
    /// Reads the parameters.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if a parameter has an invalid value.
    fn read(query: Query<'_>) -> Result<Self, ApiError>;
}

/// Parameters `T` of a request's query.
#[derive(Debug)]
pub struct InQuery<T>(Result<T, ApiError>);

impl<T> InQuery<T> {
    /// Returns the parameters.
    ///
    /// # Errors
    ///
    /// The same as [`Parameters::read`].
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

/// Returns the description of the parameters `T`.
pub(crate) fn described<T: IntoParams>() -> Vec<Parameter> {
    T::into_params(|| None)
}
