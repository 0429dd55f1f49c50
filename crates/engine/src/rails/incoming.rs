//! Files from outside: normalizes encoding, line endings and padding before a file is parsed.
//!
//! Programs count columns in letters or in bytes, end lines in different ways, and add marks before or after the text.
//! None of this changes the content. Counts and sums are checked strictly by the parsers.

use std::borrow::Cow;

use super::file::FileError;

/// Maximum letters of found text in an error.
const MAX_CHARS_SHOWN: usize = 40;

/// Decodes a file: UTF-8, or else ISO 8859-1, in which each byte is the letter with its number.
#[must_use]
pub fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().copied().map(char::from).collect())
}

/// Removes a byte order mark at the beginning, and the end-of-file mark of old systems at the end.
pub(super) fn unmarked(text: &str) -> &str {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let before = text.trim_end_matches(['\r', '\n', '\u{1a}']);
    let is_marked = text.get(before.len()..).is_some_and(|end| end.contains('\u{1a}'));
    if is_marked { before } else { text }
}

/// Splits a text into lines, without their endings and with numbers from 1. Lines end with a line feed, optionally
/// after carriage returns, or all with a carriage return. A text without any line ending is cut every `width` letters.
pub(super) fn lines(text: &str, width: usize) -> Vec<(usize, Cow<'_, str>)> {
    let text = unmarked(text);
    let lines: Vec<Cow<'_, str>> = if text.contains('\n') {
        text.split('\n').map(|line| line.trim_end_matches('\r').into()).collect()
    } else if text.contains('\r') {
        text.split('\r').map(Cow::from).collect()
    } else {
        let letters: Vec<char> = text.chars().collect();
        letters.chunks(width).map(|letters| letters.iter().collect::<String>().into()).collect()
    };
    lines.into_iter().enumerate().map(|(index, line)| (index + 1, line)).collect()
}

/// Normalizes a line to a record of `width` ASCII columns. A letter beyond ASCII takes one column and becomes a
/// question mark. Missing blanks at the end are added, and surplus blanks are dropped. A record of `width` bytes was
/// counted in bytes.
pub(super) fn columns(line: &str, width: usize) -> Option<String> {
    let of_letters = || -> String { line.chars().map(ascii).collect() };
    let is_longer = line.chars().count() < width && line.len() == width;
    let text =
        if is_longer { line.bytes().map(|byte| ascii(char::from(byte))).collect() } else { of_letters() };
    let text = text.trim_end();
    let is_plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    (is_plain && text.len() <= width).then(|| format!("{text:<width$}"))
}

fn ascii(letter: char) -> char {
    if letter.is_ascii() { letter } else { '?' }
}

/// Formats found text for an error: on one line, and shortened.
pub(super) fn found(text: &str) -> String {
    let mut letters = text.chars();
    let shown: String = letters.by_ref().take(MAX_CHARS_SHOWN).flat_map(char::escape_debug).collect();
    let more = if letters.next().is_some() { "…" } else { "" };
    format!("\"{shown}{more}\"")
}

/// Creates an error for a line of a file.
pub(super) fn error(
    line: usize,
    (record, field): (&'static str, &'static str),
    expected: impl Into<Cow<'static, str>>,
    found_text: &str,
) -> FileError {
    FileError { line, record, field, expected: expected.into(), found: found(found_text) }
}

/// Creates an error for a file that ends too early, at this line.
pub(super) fn ends_early(line: usize, record: &'static str) -> FileError {
    let (expected, found) = ("a record".into(), "the end of the file".into());
    FileError { line, record, field: "record", expected, found }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        lines(text, 4).into_iter().map(|(_, line)| line.into_owned()).collect()
    }

    #[test]
    fn every_line_ending_is_accepted() {
        for text in
            ["abcd\nef", "abcd\r\nef", "abcd\r\r\nef", "abcd\ref", "abcdef", "\u{feff}abcd\nef\u{1a}\r\n"]
        {
            assert_eq!(texts(text), ["abcd", "ef"], "{text:?}");
        }
        assert_eq!(texts("a\r\nb\nc\n"), ["a", "b", "c", ""]);
        assert_eq!(texts(""), Vec::<String>::new());
    }

    #[test]
    fn columns_survive_letter_or_byte_counts() {
        let table = [
            ("abc", Some("abc   ")),
            ("abc      ", Some("abc   ")),
            ("abcdef", Some("abcdef")),
            ("abcdefg", None),
            // Six letters, and six bytes.
            ("Zoë 12", Some("Zo? 12")),
            ("Zoë12", Some("Zo??12")),
            ("a\tb", None),
            ("", Some("      ")),
        ];
        for (line, expected) in table {
            assert_eq!(columns(line, 6).as_deref(), expected, "{line:?}");
        }
    }

    #[test]
    fn invalid_utf8_is_read_as_latin1() {
        assert_eq!(text_of("Zoë".into()), "Zoë");
        assert_eq!(text_of(vec![b'Z', b'o', 0xeb]), "Zoë");
    }

    #[test]
    fn found_text_is_short_single_line() {
        assert_eq!(found("a\n\"b\""), r#""a\n\"b\"""#);
        assert_eq!(found(&"x".repeat(41)), format!("\"{}…\"", "x".repeat(40)));
        assert_eq!(found(&"x".repeat(40)), format!("\"{}\"", "x".repeat(40)));
    }
}
