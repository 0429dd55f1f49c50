//! Exact amounts: decimal text to minor units, without floats.

use daybook_domain::Currency;

/// Reason for which a text is no amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoAmount {
    /// The text is not digits with at most one decimal mark.
    Text,
    /// The amount has a part of a minor unit that is not zero.
    Decimals,
    /// The amount does not fit 64 bits.
    Size,
}

/// Parses an amount without sign, such as `1200`, `12.50`, `.5`, `12.` and `0013.0`. Zeros beyond the currency's decimals
/// are read, other digits there are not.
pub(crate) fn minor_units(text: &str, mark: char, currency: Currency) -> Result<i64, NoAmount> {
    let (whole, part) = text.split_once(mark).unwrap_or((text, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(part) || whole.len() + part.len() == 0 {
        return Err(NoAmount::Text);
    }
    let decimals = currency.decimals() as usize;
    let (kept, beyond) = part.split_at(part.len().min(decimals));
    if beyond.bytes().any(|digit| digit != b'0') {
        return Err(NoAmount::Decimals);
    }
    let zeros = std::iter::repeat_n(b'0', decimals - kept.len());
    whole.bytes().chain(kept.bytes()).chain(zeros).try_fold(0_i64, |amount, digit| {
        let digit = i64::from(digit - b'0');
        amount.checked_mul(10).and_then(|amount| amount.checked_add(digit)).ok_or(NoAmount::Size)
    })
}

/// Returns an amount as decimal text with `mark` and all decimals of its currency.
pub(crate) fn decimal(minor: i128, mark: char, currency: Currency) -> String {
    let decimals = currency.decimals() as usize;
    let sign = if minor < 0 { "-" } else { "" };
    let digits = format!("{:0width$}", minor.unsigned_abs(), width = decimals + 1);
    let (whole, part) = digits.split_at(digits.len() - decimals);
    if decimals == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}{mark}{part}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact_or_refused() {
        let of = |code: &str| Currency::parse(code).expect("ISO 4217");
        for (text, code, minor) in [
            ("12.50", "USD", Ok(1_250)),
            (".5", "USD", Ok(50)),
            ("12.", "USD", Ok(1_200)),
            ("0013.0", "USD", Ok(1_300)),
            ("12.50000", "USD", Ok(1_250)),
            ("9.985", "USD", Err(NoAmount::Decimals)),
            ("9.985", "KWD", Ok(9_985)),
            ("9", "JPY", Ok(9)),
            ("9.5", "JPY", Err(NoAmount::Decimals)),
            ("9.0", "JPY", Ok(9)),
            ("", "USD", Err(NoAmount::Text)),
            (".", "USD", Err(NoAmount::Text)),
            ("-1", "USD", Err(NoAmount::Text)),
            ("1.2.3", "USD", Err(NoAmount::Text)),
            ("1e3", "USD", Err(NoAmount::Text)),
            ("92233720368547758.07", "USD", Ok(i64::MAX)),
            ("92233720368547758.08", "USD", Err(NoAmount::Size)),
        ] {
            assert_eq!(minor_units(text, '.', of(code)), minor, "{text} {code}");
        }
        assert_eq!(decimal(-5, ',', of("USD")), "-0,05");
        assert_eq!(decimal(1_234, '.', of("KWD")), "1.234");
        assert_eq!(decimal(7, '.', of("JPY")), "7");
        assert_eq!(decimal(i128::from(i64::MIN), '.', of("USD")), "-92233720368547758.08");
    }
}
