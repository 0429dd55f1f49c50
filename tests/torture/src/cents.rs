//! Amounts in minor units as decimal text and as JSON numbers, without float arithmetic.

use serde_json::Value;

/// Returns minor units as a JSON number with a decimal point.
pub fn decimal(minor: i64) -> Value {
    serde_json::from_str(&written(minor)).unwrap_or_default()
}

/// Returns minor units as decimal text.
pub fn written(minor: i64) -> String {
    let (sign, of) = (if minor < 0 { "-" } else { "" }, minor.unsigned_abs());
    format!("{sign}{}.{:02}", of / 100, of % 100)
}

/// Parses a JSON number with a decimal point into minor units.
pub fn minor(number: &Value) -> i64 {
    cents(&number.to_string())
}

/// Parses decimal text into minor units, digit by digit and without float arithmetic.
pub fn cents(text: &str) -> i64 {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let part = format!("{part:0<2}");
    let parse = |text: &str| text.parse::<i64>().unwrap_or(i64::MIN / 1000);
    sign * (parse(whole) * 100 + parse(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_survive_round_trip() {
        for cents in [0, 1, 10, 99, 100, 125, 1_050, 123_456_789, -250, -5] {
            assert_eq!(minor(&decimal(cents)), cents);
        }
        assert_eq!(minor(&serde_json::json!(-1.5)), -150);
    }
}
