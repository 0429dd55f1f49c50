//! Lower-case hexadecimal text, for keys and tokens.

/// Decodes text that [`hex::encode`] wrote. Capital letters are refused, so that bytes have one spelling.
pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    ::hex::decode(text).ok().filter(|bytes| ::hex::encode(bytes) == text)
}
