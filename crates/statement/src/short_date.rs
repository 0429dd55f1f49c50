//! Dates as YYMMDD, and other numbers of two digits each.

use daybook_domain::calendar::Day;

/// Returns `N` numbers of two digits each, if the bytes are nothing else.
pub(crate) fn pairs<const N: usize>(digits: &[u8]) -> Option<[i64; N]> {
    let mut numbers = [0; N];
    if digits.len() != 2 * N || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    for (number, digits) in numbers.iter_mut().zip(digits.chunks(2)) {
        *number = digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
    }
    Some(numbers)
}

/// Returns a day as YYMMDD, without its century.
pub(crate) fn yymmdd(day: Day) -> String {
    let date = day.date();
    format!("{:02}{:02}{:02}", date.year().rem_euclid(100), date.month(), date.day())
}
