//! Numbers of accounts and banks: which of them can be.

use daybook_engine::rails::is_swift;

use super::iban;
use crate::ApiError;
use crate::wire::required;
use crate::wire::text::Text;

/// The most letters and digits of an account abroad, as of an IBAN, and of a clearing code.
const MAX_ABROAD: usize = 34;

/// The number of an account in the US: what fits into a file for the bank. Some have letters, and hyphens between them.
/// Source: Nacha Operating Rules, Appendix Three (DFI account number, alphanumeric, 17 places).
pub(super) fn account(text: Option<Text>) -> Result<String, ApiError> {
    let number = required("info.account_num", text)?;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let has_ends =
        [number.bytes().next(), number.bytes().last()].iter().flatten().all(u8::is_ascii_alphanumeric);
    if (4..=17).contains(&number.len()) && number.bytes().all(is_part) && has_ends {
        return Ok(number);
    }
    let text = "must be 4 to 17 letters, digits and hyphens, without a hyphen at either end";
    Err(ApiError::invalid("info.account_num", text))
}

/// An account abroad, without blanks and in capitals: an IBAN if it begins with two letters, else whatever the bank
/// there calls it.
pub(super) fn account_abroad(text: Option<Text>) -> Result<String, ApiError> {
    let number = compact(&required("info.account_num", text)?);
    let begins_with_country = number.bytes().take(2).filter(u8::is_ascii_alphabetic).count() == 2;
    if begins_with_country && !iban::is_iban(&number) {
        return Err(ApiError::Conflict("iban", "The IBAN is wrong.".into()));
    }
    let text = "must be 1 to 34 letters and digits";
    if is_code(&number) { Ok(number) } else { Err(ApiError::invalid("info.account_num", text)) }
}

/// A bank's SWIFT code, in capitals.
pub(super) fn swift(field: &'static str, text: &str) -> Result<String, ApiError> {
    let code = compact(text);
    let what = "must be a SWIFT code of 8 or 11 characters";
    if is_swift(&code) { Ok(code) } else { Err(ApiError::invalid(field, what)) }
}

/// A bank's clearing code abroad, whatever its country makes of one.
pub(super) fn clearing_code(text: String) -> Result<String, ApiError> {
    let what = "must be at most 34 letters and digits";
    let is_given = is_code(&text.replace(['-', ' '], "")) && text.len() <= MAX_ABROAD;
    if is_given { Ok(text) } else { Err(ApiError::invalid("info.routing_num", what)) }
}

/// Without the blanks by which people group digits, in capitals.
fn compact(text: &str) -> String {
    text.split_whitespace().collect::<String>().to_ascii_uppercase()
}

fn is_code(text: &str) -> bool {
    (1..=MAX_ABROAD).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
