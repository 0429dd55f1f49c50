//! Routing numbers of banks in the US.

use crate::ApiError;

/// Checks the checksum of nine digits.
///
/// # Errors
///
/// [`ApiError::Conflict`] if it is wrong.
pub fn check(number: &str) -> Result<(), ApiError> {
    if has_checksum(number) { Ok(()) } else { Err(unknown()) }
}

/// Returns the error for an unknown routing number.
#[must_use]
pub fn unknown() -> ApiError {
    ApiError::Conflict("routing_number", "The routing number does not exist.".into())
}

/// Returns true if the digits, weighted 3, 7, 1 in turn, sum to a multiple of ten. Source: American Bankers
/// Association, routing number policy. Nine zeros have a valid checksum and belong to no bank, so they are refused.
fn has_checksum(number: &str) -> bool {
    let weights = [3, 7, 1].into_iter().cycle();
    let sum: u32 = number.bytes().map(|digit| u32::from(digit - b'0')).zip(weights).map(|(d, w)| d * w).sum();
    sum > 0 && sum.is_multiple_of(10)
}
