//! Routing numbers of banks in the US.

use super::required;
use super::text::Text;
use crate::ApiError;

/// The routing number at `field`; its checksum is not looked at.
///
/// # Errors
///
/// [`ApiError::Invalid`] unless it has nine digits.
pub fn parse(field: &'static str, text: Option<Text>) -> Result<String, ApiError> {
    let number = required(field, text)?;
    let is_number = number.len() == 9 && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { Ok(number) } else { Err(ApiError::invalid(field, "must be 9 digits")) }
}

/// Looks at the checksum of nine digits.
///
/// # Errors
///
/// [`ApiError::Conflict`] if it is wrong.
pub fn check(number: &str) -> Result<(), ApiError> {
    if has_checksum(number) { Ok(()) } else { Err(unknown()) }
}

/// There is no bank with this routing number.
#[must_use]
pub fn unknown() -> ApiError {
    ApiError::Conflict("routing_number", "The routing number does not exist.".into())
}

/// Whether the digits of a routing number, weighed 3, 7, 1 in turn, sum to a multiple of ten. Source: American
/// Bankers Association, routing number policy. Nine zeros do, and are no bank.
fn has_checksum(number: &str) -> bool {
    let weights = [3, 7, 1].into_iter().cycle();
    let sum: u32 = number.bytes().map(|digit| u32::from(digit - b'0')).zip(weights).map(|(d, w)| d * w).sum();
    sum > 0 && sum.is_multiple_of(10)
}
