//! Files of other people: tolerant of how text is written down, before anything is read from it.
//!
//! Its writer counts letters or bytes, ends lines in one way or another and puts marks around it. Nothing of that
//! changes what a file says. What it counts and sums is for its reader to check, strictly.

use std::borrow::Cow;

use super::file::FileError;

/// How much of what was found an error shows, in letters.
const SHOWN: usize = 40;

/// The text of a file: UTF-8, or else bytes of which each is the letter with its number (ISO 8859-1).
#[must_use]
pub fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().copied().map(char::from).collect())
}

/// The text without the marks around it: a byte order mark before it, the end mark of old systems behind it.
pub(super) fn unmarked(text: &str) -> &str {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let before = text.trim_end_matches(['\r', '\n', '\u{1a}']);
    let is_marked = text.get(before.len()..).is_some_and(|end| end.contains('\u{1a}'));
    if is_marked { before } else { text }
}

/// The lines of a text, without their ends and each with its number from 1 on: they end in a line feed, with or without
/// carriage returns before it, or all of them in a carriage return. A text without any end of a line is cut at `width`.
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

/// A record of `width` columns of ASCII: a letter beyond it takes a column and becomes a question mark, blanks that are
/// missing at the end are added, and those that are too many are dropped. A record that is `width` bytes long was counted
/// in bytes.
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

/// What was found, as an error shows it: on one line and not longer than a reader needs.
pub(super) fn found(text: &str) -> String {
    let mut letters = text.chars();
    let shown: String = letters.by_ref().take(SHOWN).flat_map(char::escape_debug).collect();
    let more = if letters.next().is_some() { "…" } else { "" };
    format!("\"{shown}{more}\"")
}

/// An error at a line of a file.
pub(super) fn error(
    line: usize,
    (record, field): (&'static str, &'static str),
    expected: impl Into<Cow<'static, str>>,
    found_text: &str,
) -> FileError {
    FileError { line, record, field, expected: expected.into(), found: found(found_text) }
}

/// An error at the line behind the last one.
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
    fn lines_end_in_every_way() {
        for text in
            ["abcd\nef", "abcd\r\nef", "abcd\r\r\nef", "abcd\ref", "abcdef", "\u{feff}abcd\nef\u{1a}\r\n"]
        {
            assert_eq!(texts(text), ["abcd", "ef"], "{text:?}");
        }
        assert_eq!(texts("a\r\nb\nc\n"), ["a", "b", "c", ""]);
        assert_eq!(texts(""), Vec::<String>::new());
    }

    #[test]
    fn records_keep_their_columns_however_counted() {
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
    fn bytes_beyond_utf8_are_latin1() {
        assert_eq!(text_of("Zoë".into()), "Zoë");
        assert_eq!(text_of(vec![b'Z', b'o', 0xeb]), "Zoë");
    }

    #[test]
    fn found_text_is_short_and_one_line() {
        assert_eq!(found("a\n\"b\""), r#""a\n\"b\"""#);
        assert_eq!(found(&"x".repeat(41)), format!("\"{}…\"", "x".repeat(40)));
        assert_eq!(found(&"x".repeat(40)), format!("\"{}\"", "x".repeat(40)));
    }
}
