//! JSON shapes of requests and answers: pure functions, tested byte by byte against the API contract.
//!
//! A request is deserialized into types that exclude invalid values, then parsed into the input of a command. An answer
//! is a plain struct per record, rendered from states and opened boxes. This module contains no rule about money.

#![allow(clippy::struct_field_names, reason = "the contract names the fields")]

pub mod amount;
pub mod audit;
pub mod event;
pub mod file;
pub mod filter;
pub mod form;
pub mod health;
pub mod institution;
mod listed;
pub mod moment;
pub mod node;
pub mod oauth;
pub mod operator;
pub mod ops;
pub mod public_key;
pub mod record;
pub mod routing_number;
pub mod sandbox;
pub mod statement;
pub mod subnet;
pub mod subscription;
pub mod text;
pub mod transaction;
pub mod user;
pub mod verification;

pub use listed::Listed;

use std::borrow::Cow;
use std::str::FromStr;

use text::Text;

use crate::ApiError;

/// Maximum number of entries of a list in a body: names, documents, fees.
const MAX_ENTRIES: usize = 100;

/// Checks that a list has at most [`MAX_ENTRIES`]; null and absent are an empty list.
fn bounded<T>(field: &'static str, list: Option<Vec<T>>) -> Result<Vec<T>, ApiError> {
    at_most(MAX_ENTRIES, field, list)
}

/// Checks that a list has at most `most` entries; null and absent are an empty list.
fn at_most<T>(most: usize, field: &'static str, list: Option<Vec<T>>) -> Result<Vec<T>, ApiError> {
    let list = list.unwrap_or_default();
    if list.len() <= most {
        return Ok(list);
    }
    Err(ApiError::invalid(field, format!("must have at most {most} entries")))
}

/// Checks that a text is present and not blank.
pub(crate) fn required(
    field: impl Into<Cow<'static, str>>,
    text: Option<impl Into<String>>,
) -> Result<String, ApiError> {
    let text = text.map(Into::into).filter(|text| !text.trim().is_empty());
    text.ok_or_else(|| ApiError::missing(field))
}

/// Parses an id. A text that is not an id is answered like the id of an unknown object.
fn id<T: FromStr>(field: impl Into<Cow<'static, str>>, text: Option<Text>) -> Result<T, ApiError> {
    let field = field.into();
    required(field.clone(), text)?.parse().map_err(|_| ApiError::nothing_at(field))
}
