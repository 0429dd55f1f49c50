//! actix-web: routes, wire shapes, authentication, envelope, errors

pub mod body;
pub mod envelope;
pub mod error;
pub mod page;
pub mod request_id;
pub mod wire;

pub use error::ApiError;
