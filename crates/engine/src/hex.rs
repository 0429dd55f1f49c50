//! Lower-case hex, for keys and tokens that people copy.

/// What [`hex::encode`] wrote. The same bytes have one spelling: no capitals.
pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    ::hex::decode(text).ok().filter(|bytes| ::hex::encode(bytes) == text)
}
