//! Bank statements. Input: the file.

use daybook_engine::rails::statement::{parse, render};

use crate::spelling::spellings;

/// Checks that a statement adds up, and that it is the same after it is rendered and parsed again.
///
/// # Panics
///
/// Panics if the property is violated.
pub fn holds(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match parse(text) {
        Ok(statement) => {
            let sum: i128 = statement.lines.iter().map(|line| i128::from(line.amount_minor)).sum();
            let closing = i128::from(statement.opening_minor) + sum;
            assert_eq!(closing, i128::from(statement.closing_minor));
            assert_eq!(parse(&render(&statement)).as_ref(), Ok(&statement));
            for (name, text) in spellings(text, false) {
                assert_eq!(parse(&text).as_ref(), Ok(&statement), "{name}");
            }
        }
        Err(error) => assert!((1..=text.matches('\n').count() + 1).contains(&error.line), "{error:?}"),
    }
}
