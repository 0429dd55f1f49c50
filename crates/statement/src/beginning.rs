//! Beginning of a file: the byte order mark and white space before its content.

/// Byte order mark of UTF-8, which some programs write to say that a file is in it.
pub(crate) const UTF_8_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns the offset of the content, behind a byte order mark and white space, and the content.
pub(crate) fn content(bytes: &[u8]) -> (usize, &[u8]) {
    let content = bytes.strip_prefix(UTF_8_MARK).unwrap_or(bytes).trim_ascii_start();
    (bytes.len() - content.len(), content)
}
