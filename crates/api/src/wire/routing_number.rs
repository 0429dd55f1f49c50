//! Routing numbers of banks in the US.

use crate::ApiError;

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
