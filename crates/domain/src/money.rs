//! Money: an integer number of minor units and a currency. No floating point.

mod currency;

use std::fmt;

pub use currency::Currency;
use serde::{Deserialize, Serialize};

/// The largest amount of one transaction, in minor units: 10¹² (ten billion dollars).
pub const MAX_MINOR: i64 = 1_000_000_000_000;

/// An amount of one currency in minor units (cents for USD); any sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Money {
    /// Minor units.
    pub minor: i64,
    /// The currency.
    pub currency: Currency,
}

/// Reasons for which a text is not an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    /// Not a decimal number.
    #[error("not a decimal number")]
    NotANumber,
    /// More decimals than the currency has.
    #[error("more decimals than the currency has")]
    TooPrecise,
    /// Zero or less.
    #[error("must be greater than zero")]
    NotPositive,
    /// More than [`MAX_MINOR`], or more than an `i64` holds.
    #[error("must be at most 10^12 minor units")]
    TooLarge,
}

impl Money {
    /// `minor` units of `currency`.
    #[must_use]
    pub const fn new(minor: i64, currency: Currency) -> Self {
        Self { minor, currency }
    }

    /// Returns true if a transaction may have this amount: above zero and at most [`MAX_MINOR`].
    #[must_use]
    pub const fn may_move(self) -> bool {
        0 < self.minor && self.minor <= MAX_MINOR
    }

    /// Reads an amount exactly, from decimal text in the form of a JSON number: `12.34`, `1e2`. Trailing zeros of the
    /// fraction do not count as decimals.
    ///
    /// # Errors
    ///
    /// [`MoneyError`] unless the amount is above zero, at most [`MAX_MINOR`] and a whole number of minor units.
    pub fn parse_positive(text: &str, currency: Currency) -> Result<Self, MoneyError> {
        let money = Self::parse(text, currency)?;
        match money.minor {
            minor if minor.unsigned_abs() > MAX_MINOR.unsigned_abs() => Err(MoneyError::TooLarge),
            minor if minor <= 0 => Err(MoneyError::NotPositive),
            _ => Ok(money),
        }
    }

    /// Reads an amount of any sign and size, such as a bank's balance, from the text format of
    /// [`Money::parse_positive`].
    ///
    /// # Errors
    ///
    /// [`MoneyError`] unless it is a whole number of minor units that fits an `i64`.
    pub fn parse(text: &str, currency: Currency) -> Result<Self, MoneyError> {
        Ok(Self { minor: parse_minor(text, currency.decimals())?, currency })
    }
}

/// Converts decimal text to minor units within the range of an `i64`.
fn parse_minor(text: &str, decimals: u32) -> Result<i64, MoneyError> {
    let (negative, unsigned) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(w, f)| (w, Some(f)));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !fraction.is_none_or(is_digits) {
        return Err(MoneyError::NotANumber);
    }
    let fraction = fraction.unwrap_or_default();
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Ok(0);
    }
    // The value is `significant` × 10^scale in minor units.
    let len = |text: &str| i64::try_from(text.len()).unwrap_or(i64::MAX);
    let scale = (len(digits) - len(significant))
        .saturating_sub(len(fraction))
        .saturating_add(exponent)
        .saturating_add(i64::from(decimals));
    if scale < 0 {
        return Err(MoneyError::TooPrecise);
    }
    let unit = u32::try_from(scale).ok().and_then(|scale| 10_i64.checked_pow(scale));
    let minor = significant.parse::<i64>().ok().zip(unit).and_then(|(value, unit)| value.checked_mul(unit));
    minor.map(|minor| if negative { -minor } else { minor }).ok_or(MoneyError::TooLarge)
}

/// Reads an exponent. A size beyond `i32` is clamped to the largest one.
fn parse_exponent(text: &str) -> Result<i64, MoneyError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(MoneyError::NotANumber);
    }
    let size = digits.parse::<i32>().map_or(i64::from(i32::MAX), i64::from);
    Ok(if text.starts_with('-') { -size } else { size })
}

impl fmt::Display for Money {
    /// Writes the amount as decimal text with all of the currency's decimals, without the currency: `12.30`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = self.currency.decimals();
        let unit = 10_u64.pow(decimals);
        let size = self.minor.unsigned_abs();
        let sign = if self.minor < 0 { "-" } else { "" };
        if decimals == 0 {
            return write!(f, "{sign}{size}");
        }
        write!(f, "{sign}{}.{:0width$}", size / unit, size % unit, width = decimals as usize)
    }
}

impl fmt::Debug for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} {}", self.currency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usd(text: &str) -> Result<i64, MoneyError> {
        Money::parse_positive(text, Currency::USD).map(|money| money.minor)
    }

    #[test]
    fn amount_is_read_exactly() {
        let table = [
            ("0.01", 1),
            ("0.1", 10),
            ("12.34", 1_234),
            ("100", 10_000),
            ("100.00", 10_000),
            ("1.100", 110),
            ("1e2", 10_000),
            ("1.5E+1", 1_500),
            ("1500e-2", 1_500),
            ("10000000000.00", MAX_MINOR),
            ("0.0000000000000000000000001e25", 100),
        ];
        for (text, minor) in table {
            assert_eq!(usd(text), Ok(minor), "{text}");
        }
    }

    #[test]
    fn invalid_amount_is_refused_with_its_reason() {
        let digits = "9".repeat(400);
        let small = format!("0.{}1", "0".repeat(400));
        let table = [
            ("0", MoneyError::NotPositive),
            ("-0.00", MoneyError::NotPositive),
            ("-1", MoneyError::NotPositive),
            ("0.001", MoneyError::TooPrecise),
            ("0.30000000000000004", MoneyError::TooPrecise),
            (small.as_str(), MoneyError::TooPrecise),
            ("1e-400", MoneyError::TooPrecise),
            ("1e-99999999999999999999", MoneyError::TooPrecise),
            ("10000000000.01", MoneyError::TooLarge),
            (digits.as_str(), MoneyError::TooLarge),
            ("-10000000000.01", MoneyError::TooLarge),
            ("1e400", MoneyError::TooLarge),
            ("1e99999999999999999999", MoneyError::TooLarge),
            ("", MoneyError::NotANumber),
            ("-", MoneyError::NotANumber),
            (".5", MoneyError::NotANumber),
            ("5.", MoneyError::NotANumber),
            ("+5", MoneyError::NotANumber),
            ("1e", MoneyError::NotANumber),
            ("1e+-1", MoneyError::NotANumber),
            ("0x10", MoneyError::NotANumber),
            ("NaN", MoneyError::NotANumber),
            ("1,5", MoneyError::NotANumber),
            ("١", MoneyError::NotANumber),
        ];
        for (text, error) in table {
            assert_eq!(usd(text), Err(error), "{text}");
        }
    }

    #[test]
    fn balance_has_any_sign_and_size() {
        let parse = |text| Money::parse(text, Currency::USD).map(|money| money.minor);
        let table = [("0.00", 0), ("-12.34", -1_234), ("92233720368547758.07", i64::MAX), ("-0.01", -1)];
        for (text, minor) in table {
            assert_eq!(parse(text), Ok(minor), "{text}");
        }
        assert_eq!(parse("92233720368547758.08"), Err(MoneyError::TooLarge));
        assert_eq!(parse("--1"), Err(MoneyError::NotANumber));
    }

    #[test]
    fn currency_determines_the_decimals() {
        let parse = |text, code| Money::parse_positive(text, Currency::parse(code).expect("ISO 4217"));
        assert_eq!(parse("12", "JPY").map(|money| money.to_string()), Ok("12".into()));
        assert_eq!(parse("1.5", "JPY"), Err(MoneyError::TooPrecise));
        assert_eq!(parse("1.234", "KWD").map(|money| money.to_string()), Ok("1.234".into()));
        assert_eq!(Money::new(-5, Currency::USD).to_string(), "-0.05");
        assert_eq!(Currency::parse("usd"), None);
        assert_eq!(Currency::parse("XXX"), None);
    }
}
