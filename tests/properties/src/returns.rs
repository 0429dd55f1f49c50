//! Return files of a bank. Input: the file.

use daybook_engine::rails::FileError;
use daybook_engine::rails::ach::{Content, Entry, parse_returns};

use crate::spelling::spellings;

/// Number of digits of a trace.
const TRACE: usize = 15;

/// Length of a record.
const RECORD: usize = 94;

/// Checks that all spellings of a file give the same entries.
///
/// # Panics
///
/// Panics if the property is violated.
pub fn holds(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match parse_returns(text) {
        Err(error) => {
            // Without line feeds a line ends at a carriage return, or after 94 characters.
            let ends = text.matches(['\n', '\r']).count();
            assert!((1..=text.len() / 94 + ends + 2).contains(&error.line), "{error:?}");
        }
        Ok(read) => {
            read.iter().for_each(is_whole);
            let fits = text.contains('\n') && !text.lines().any(is_of_bytes);
            for (name, text) in spellings(text, fits) {
                assert_eq!(entries(&text), Ok(without_lines(read.clone())), "{name}");
            }
        }
    }
}

/// True for a record that was counted in bytes, so that it is another one with more or fewer blanks.
fn is_of_bytes(line: &str) -> bool {
    line.len() == RECORD && line.chars().count() < RECORD
}

fn is_whole(entry: &Entry) {
    assert!(entry.amount_minor >= 0);
    let is_trace = entry.trace.len() == TRACE && entry.trace.bytes().all(|byte| byte.is_ascii_digit());
    assert!(is_trace || matches!(entry.content, Content::Unreadable(_)));
}

/// Returns the entries of a file, without their line numbers.
///
/// # Errors
///
/// Same as [`parse_returns`].
pub fn entries(text: &str) -> Result<Vec<Entry>, FileError> {
    parse_returns(text).map(without_lines)
}

fn without_lines(entries: Vec<Entry>) -> Vec<Entry> {
    let elsewhere = |mut entry: Entry| {
        (entry.line, entry.code_line) = (0, 0);
        if let Content::Unreadable(error)
        | Content::Changed(_, Err(error))
        | Content::Dishonored(_, Err(error))
        | Content::Contested(_, Err(error)) = &mut entry.content
        {
            error.line = 0;
        }
        entry
    };
    entries.into_iter().map(elsewhere).collect()
}
