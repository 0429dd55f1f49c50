//! Numbers of accounts and banks abroad: which of them can be.

use super::iban;
use crate::ApiError;

/// An account abroad, without blanks and in capitals: an IBAN if it begins with two letters, else whatever the bank
/// there calls it.
pub(super) fn account_abroad(text: &str) -> Result<String, ApiError> {
    let number = compact(text);
    let begins_with_country = number.bytes().take(2).filter(u8::is_ascii_alphabetic).count() == 2;
    if begins_with_country && !iban::is_iban(&number) {
        return Err(ApiError::Conflict("iban", "The IBAN is wrong.".into()));
    }
    Ok(number)
}

/// Without the blanks by which people group digits, in capitals.
pub(super) fn compact(text: &str) -> String {
    text.split_whitespace().collect::<String>().to_ascii_uppercase()
}
