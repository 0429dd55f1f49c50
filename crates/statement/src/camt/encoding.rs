//! Encoding of a message: UTF-8, or an encoding of one byte a letter, so that every place in the text is a place in the
//! file.

use std::borrow::Cow;

use encoding_rs::Encoding;

use super::values::fault;
use crate::Fault;
use crate::beginning::UTF_8_MARK;

/// Number of bytes in which an XML declaration must end.
const MAX_DECLARATION: usize = 256;

/// Number of bytes that are searched at once.
const BLOCK: usize = 4_096;

/// Text of a file.
pub(super) struct Decoded<'a> {
    /// The text, without byte order mark.
    pub(super) text: Cow<'a, str>,
    /// Number of bytes before the text.
    pub(super) skipped: usize,
    /// True if each letter of the text is one byte of the file.
    pub(super) is_single_byte: bool,
}

/// Decodes a file. Refuses letters that XML does not allow. Source: XML 1.0, section 2.2.
pub(super) fn decode(bytes: &[u8]) -> Result<Decoded<'_>, Fault> {
    let marked = bytes.strip_prefix(UTF_8_MARK);
    let skipped = if marked.is_some() { UTF_8_MARK.len() } else { 0 };
    let content = marked.unwrap_or(bytes);
    if is_utf16(content) {
        return Err(refused(0, "UTF-16"));
    }
    if let Some(at) = control(content) {
        let byte = content.get(at).copied().unwrap_or_default();
        let why = "XML does not allow this control character";
        return Err(fault(skipped + at, "XML", "character", why).found(format!("0x{byte:02X}")));
    }
    let declared = declared(content).filter(|name| !is_unicode(name));
    match declared {
        None => decode_utf8(content, skipped),
        Some(name) if marked.is_some() => Err(refused(skipped, &name)),
        Some(name) => decode_single_bytes(content, &name),
    }
}

/// Place of the first control character that XML does not allow.
fn control(content: &[u8]) -> Option<usize> {
    let is_control = |byte: &u8| matches!(*byte, 0..=8 | 11 | 12 | 14..=31);
    // Whole blocks are folded without an early end, which the compiler makes many bytes at a time.
    let mut blocks = content.chunks(BLOCK).enumerate();
    let (number, block) =
        blocks.find(|(_, block)| block.iter().fold(false, |found, byte| found | is_control(byte)))?;
    block.iter().position(is_control).map(|at| number * BLOCK + at)
}

/// True if the bytes begin like XML in UTF-16, with or without byte order mark.
fn is_utf16(content: &[u8]) -> bool {
    matches!(content, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, b'<', ..] | [b'<', 0, ..])
}

/// True if a file in the encoding of this name is valid UTF-8.
fn is_unicode(name: &str) -> bool {
    ["UTF-8", "UTF8", "US-ASCII", "ASCII"].iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn decode_utf8(content: &[u8], skipped: usize) -> Result<Decoded<'_>, Fault> {
    match std::str::from_utf8(content) {
        Ok(text) => Ok(Decoded { text: Cow::Borrowed(text), skipped, is_single_byte: false }),
        Err(error) => {
            let why = "the bytes are not UTF-8, and the file declares no other encoding";
            Err(fault(skipped + error.valid_up_to(), "XML", "character", why))
        }
    }
}

fn decode_single_bytes<'a>(content: &'a [u8], name: &str) -> Result<Decoded<'a>, Fault> {
    let known = Encoding::for_label(name.as_bytes()).filter(|encoding| encoding.is_single_byte());
    let (text, _) = known.ok_or_else(|| refused(0, name))?.decode_without_bom_handling(content);
    match text.chars().position(|letter| letter == char::REPLACEMENT_CHARACTER) {
        Some(at) => Err(fault(at, "XML", "character", format!("the byte is no letter of {name}"))),
        None => Ok(Decoded { text, skipped: 0, is_single_byte: true }),
    }
}

/// Name of the encoding in the XML declaration.
fn declared(content: &[u8]) -> Option<String> {
    let head = content.get(..content.len().min(MAX_DECLARATION))?;
    let head = String::from_utf8_lossy(head);
    let (declaration, _) = head.strip_prefix("<?xml")?.split_once("?>")?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|letter| matches!(letter, '"' | '\''))?;
    value.split(quote).nth(1).map(str::to_owned)
}

fn refused(at: usize, name: &str) -> Fault {
    let why = "the encoding is neither UTF-8 nor one of single bytes";
    fault(at, "XML", "encoding", why).expected("UTF-8").found(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_keep_places_or_are_refused() {
        let text = |bytes: &[u8]| decode(bytes).map(|read| (read.text.into_owned(), read.skipped));
        let plain = |text: &str, skipped| Ok((text.to_owned(), skipped));
        assert_eq!(text("<a>ü</a>".as_bytes()), plain("<a>ü</a>", 0));
        assert_eq!(text(b"\xef\xbb\xbf<a/>"), plain("<a/>", 3));
        let latin = b"<?xml version='1.0' encoding = 'ISO-8859-1'?><a>\xfc</a>";
        let read = decode(latin).expect("is read");
        assert!(read.is_single_byte && read.text.ends_with("<a>ü</a>"));
        assert_eq!(read.text.chars().count(), latin.len());
        for (bytes, field) in [
            (&b"\xff\xfe<\0a\0"[..], "encoding"),
            (b"\0<\0a", "encoding"),
            (b"<?xml encoding=\"UTF-16\"?><a/>", "encoding"),
            (b"<?xml encoding=\"Shift_JIS\"?><a/>", "encoding"),
            (b"<?xml encoding=\"none\"?><a/>", "encoding"),
            (b"\xef\xbb\xbf<?xml encoding=\"ISO-8859-1\"?><a/>", "encoding"),
            (b"<a>\xfc</a>", "character"),
            (b"<a>\0</a>", "character"),
            (b"<?xml encoding=\"windows-1253\"?><a>\xd2</a>", "character"),
        ] {
            assert_eq!(text(bytes).expect_err("is refused").field, field, "{bytes:?}");
        }
    }
}
