//! Encoding of a file: bytes to text, without a letter that the bank did not write, and the bytes of each letter.

use std::borrow::Cow;

use encoding_rs::{WINDOWS_1252, mem};
use serde::{Deserialize, Serialize};

use crate::Fault;
use crate::beginning::UTF_8_MARK;
use crate::place::line_of;

/// Encoding of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Encoding {
    /// UTF-8, with or without a byte order mark.
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// UTF-16 in the order of its byte order mark.
    #[serde(rename = "utf-16")]
    Utf16,
    /// UTF-16, low byte first.
    #[serde(rename = "utf-16le")]
    Utf16Le,
    /// UTF-16, high byte first.
    #[serde(rename = "utf-16be")]
    Utf16Be,
    /// Windows-1252.
    #[serde(rename = "windows-1252")]
    Windows1252,
    /// ISO-8859-1.
    #[serde(rename = "iso-8859-1")]
    Iso8859,
}

impl Encoding {
    /// Number of bytes of the text in the file.
    pub(super) fn size(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16 | Self::Utf16Le | Self::Utf16Be => {
                2 * text.chars().map(char::len_utf16).sum::<usize>()
            }
            Self::Windows1252 | Self::Iso8859 => text.chars().count(),
        }
    }
}

/// Text of a file.
pub(super) struct Source<'a> {
    /// The text, without the byte order mark.
    pub(super) text: Cow<'a, str>,
    /// Number of bytes before the text.
    pub(super) start: usize,
    /// Encoding.
    pub(super) encoding: Encoding,
}

/// Decodes a file. Refuses bytes that are no letters, and NULs, by which UTF-16 shows where it is not expected.
pub(super) fn decode(bytes: &[u8], encoding: Encoding) -> Result<Source<'_>, Fault> {
    let source = match encoding {
        Encoding::Utf8 => utf_8(bytes),
        Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be => utf_16(bytes, encoding),
        Encoding::Windows1252 => one_byte(bytes, WINDOWS_1252.decode_without_bom_handling(bytes).0, encoding),
        Encoding::Iso8859 => one_byte(bytes, mem::decode_latin1(bytes), encoding),
    }?;
    let Some(at) = source.text.find('\0') else { return Ok(source) };
    let before = source.text.get(..at).unwrap_or_default();
    let place = (1 + before.matches('\n').count(), source.start + encoding.size(before));
    Err(fault(place, "a NUL, as in a file of another encoding").found('\0'))
}

fn fault(place: (usize, usize), why: &str) -> Fault {
    Fault::new(place, ("file", "encoding"), why)
}

fn utf_8(bytes: &[u8]) -> Result<Source<'_>, Fault> {
    let plain = bytes.strip_prefix(UTF_8_MARK);
    let start = bytes.len() - plain.unwrap_or(bytes).len();
    let text = std::str::from_utf8(plain.unwrap_or(bytes)).map_err(|error| {
        let at = start + error.valid_up_to();
        let byte = bytes.get(at).copied().unwrap_or_default();
        fault((line_of(bytes, at), at), "not UTF-8").found(format_args!("0x{byte:02X}"))
    })?;
    Ok(Source { text: Cow::Borrowed(text), start, encoding: Encoding::Utf8 })
}

/// Reads one letter from each byte. The controls from 0x80 to 0x9F are no text: a byte there has no letter in Windows-1252,
/// or the file is not in ISO-8859-1.
fn one_byte<'a>(bytes: &[u8], text: Cow<'a, str>, encoding: Encoding) -> Result<Source<'a>, Fault> {
    if let Some(at) = text.chars().position(|letter| ('\u{80}'..='\u{9f}').contains(&letter)) {
        let byte = bytes.get(at).copied().unwrap_or_default();
        let fault = fault((line_of(bytes, at), at), "a byte that is no letter of the encoding");
        return Err(fault.found(format_args!("0x{byte:02X}")));
    }
    Ok(Source { text, start: 0, encoding })
}

fn utf_16(bytes: &[u8], encoding: Encoding) -> Result<Source<'_>, Fault> {
    let (is_low_first, start) = match (encoding, bytes) {
        (Encoding::Utf16 | Encoding::Utf16Le, [0xff, 0xfe, ..]) => (true, 2),
        (Encoding::Utf16 | Encoding::Utf16Be, [0xfe, 0xff, ..]) => (false, 2),
        (Encoding::Utf16Le, [0xfe, 0xff, ..]) | (Encoding::Utf16Be, [0xff, 0xfe, ..]) => {
            return Err(fault((1, 0), "the byte order mark says another order"));
        }
        (Encoding::Utf16, _) => return Err(fault((1, 0), "UTF-16 without a byte order mark")),
        (encoding, _) => (encoding == Encoding::Utf16Le, 0),
    };
    let (pairs, rest) = bytes.get(start..).unwrap_or_default().as_chunks::<2>();
    let unit =
        |pair: &[u8; 2]| if is_low_first { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) };
    let mut text = String::with_capacity(pairs.len());
    let mut at = start;
    let here = |text: &str, at| (1 + text.matches('\n').count(), at);
    for letter in char::decode_utf16(pairs.iter().map(unit)) {
        let Ok(letter) = letter else {
            return Err(fault(here(&text, at), "half of a pair of UTF-16"));
        };
        text.push(letter);
        at += 2 * letter.len_utf16();
    }
    if !rest.is_empty() {
        return Err(fault(here(&text, at), "an odd number of bytes in UTF-16"));
    }
    Ok(Source { text: Cow::Owned(text), start, encoding })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_know_their_bytes() {
        use Encoding::{Iso8859, Utf8, Utf16, Utf16Be, Utf16Le, Windows1252};
        for (bytes, encoding, expected) in [
            (&b"a\xc3\xa4"[..], Utf8, Ok(("aä", 0))),
            (b"\xef\xbb\xbfa", Utf8, Ok(("a", 3))),
            (b"a\n\xe4", Utf8, Err((2, 2))),
            (b"\xff\xfea\0", Utf8, Err((1, 0))),
            (b"a\0", Utf8, Err((1, 1))),
            (b"\x80\xe4", Windows1252, Ok(("€ä", 0))),
            (b"\n\x81", Windows1252, Err((2, 1))),
            (b"\xef\xbb\xbf", Windows1252, Ok(("ï»¿", 0))),
            (b"\xe4", Iso8859, Ok(("ä", 0))),
            (b"\x80", Iso8859, Err((1, 0))),
            (b"\xff\xfea\0=\xd8\0\xde", Utf16, Ok(("a😀", 2))),
            (b"\xfe\xff\0a", Utf16, Ok(("a", 2))),
            (b"a\0", Utf16, Err((1, 0))),
            (b"a\0", Utf16Le, Ok(("a", 0))),
            (b"\0a", Utf16Be, Ok(("a", 0))),
            (b"\xfe\xff\0a", Utf16Be, Ok(("a", 2))),
            (b"\xfe\xff\0a", Utf16Le, Err((1, 0))),
            (b"\n\0\n", Utf16Le, Err((2, 2))),
            (b"\n\0=\xd8a\0", Utf16Le, Err((2, 2))),
            (b"\0\0", Utf16Le, Err((1, 0))),
            (b"", Utf16, Err((1, 0))),
            (b"", Utf8, Ok(("", 0))),
        ] {
            let read = decode(bytes, encoding);
            let read = read.as_ref().map(|source| (&*source.text, source.start));
            assert_eq!(read.map_err(|fault| (fault.line, fault.byte)), expected, "{bytes:x?} {encoding:?}");
            if let Ok((text, start)) = expected {
                assert_eq!(start + encoding.size(text), bytes.len(), "{bytes:x?}");
            }
        }
    }
}
