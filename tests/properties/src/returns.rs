//! Files of a bank with what came back. Input: the file.

use daybook_engine::rails::ach::parse_returns;

/// The digits of a trace.
const TRACE: usize = 15;

/// What is read is whole, and lines may end in both ways.
///
/// # Panics
///
/// If something does not hold.
pub fn holds(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let read = parse_returns(text);
    if let Err(error) = &read {
        assert!((1..=text.lines().count() + 1).contains(&error.line), "{error:?}");
        return;
    }
    for returned in read.iter().flatten() {
        assert!(returned.trace.len() == TRACE && returned.trace.bytes().all(|byte| byte.is_ascii_digit()));
        assert!(returned.amount_minor >= 0);
    }
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(parse_returns(&lines.join("\r\n")), read);
}
