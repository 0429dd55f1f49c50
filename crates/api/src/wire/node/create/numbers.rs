//! Account and bank numbers abroad.

use super::iban;
use crate::ApiError;

/// Parses an account number abroad into capitals without blanks. If it begins with two letters it must be an IBAN;
/// otherwise any number is accepted.
pub(super) fn account_abroad(text: &str) -> Result<String, ApiError> {
    let number = compact(text);
    let begins_with_country = number.bytes().take(2).filter(u8::is_ascii_alphabetic).count() == 2;
    if begins_with_country && !iban::is_iban(&number) {
        return Err(ApiError::Conflict("iban", "The IBAN is wrong.".into()));
    }
    Ok(number)
}

/// Removes the blanks that group digits, and converts to capitals.
pub(super) fn compact(text: &str) -> String {
    text.split_whitespace().collect::<String>().to_ascii_uppercase()
}
