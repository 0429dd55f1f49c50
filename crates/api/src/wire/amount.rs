//! Amounts of money: JSON numbers, read and written as decimal text and never through a binary float.

use std::borrow::Cow;
use std::collections::BTreeSet;

use daybook_domain::money::{MAX_MINOR, MoneyError};
use daybook_domain::{Currency, Money};
use serde::ser::Error;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AllOfBuilder, AnyOfBuilder, ObjectBuilder, Schema, Type};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use super::text::Text;
use crate::ApiError;
use crate::description::values::{CurrencyCode, CurrencyOrUsd, one_of};
use crate::in_query::Parameters;
use crate::query::Query;

/// A number exactly as it was written.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct Digits(Box<RawValue>);

impl Digits {
    /// Parses the number at `field` as an amount.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] unless it is a number above zero with at most the currency's decimals.
    pub fn parse(&self, field: impl Into<Cow<'static, str>>, currency: Currency) -> Result<Money, ApiError> {
        let field = field.into();
        parse(self.number(&field)?, field, currency)
    }

    /// Parses the number at `field` as an amount of any sign.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] unless it is a number with at most the currency's decimals, within the range of amounts.
    pub fn parse_signed(
        &self,
        field: impl Into<Cow<'static, str>>,
        currency: Currency,
    ) -> Result<Money, ApiError> {
        let field = field.into();
        let money = Money::parse(self.number(&field)?, currency);
        let in_range = |money: &Money| money.minor.unsigned_abs() <= MAX_MINOR.unsigned_abs();
        let money = money.and_then(|money| Some(money).filter(in_range).ok_or(MoneyError::TooLarge));
        money.map_err(|error| wrong(error, field))
    }

    fn number(&self, field: &str) -> Result<&str, ApiError> {
        let text = self.0.get();
        let is_number = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
        if is_number { Ok(text) } else { Err(ApiError::invalid(field.to_owned(), "must be a number")) }
    }
}

/// Parses the decimal text at `field` as an amount.
///
/// # Errors
///
/// [`ApiError::Invalid`] unless it is a number above zero with at most the currency's decimals.
pub fn parse(text: &str, field: impl Into<Cow<'static, str>>, currency: Currency) -> Result<Money, ApiError> {
    Money::parse_positive(text, currency).map_err(|error| wrong(error, field))
}

fn wrong(error: MoneyError, field: impl Into<Cow<'static, str>>) -> ApiError {
    let verb = match error {
        MoneyError::NotANumber => "is ",
        MoneyError::TooPrecise => "has ",
        MoneyError::NotPositive | MoneyError::TooLarge => "",
    };
    ApiError::invalid(field, format!("{verb}{error}"))
}

/// `{amount, currency}` of a request.
#[derive(Clone, Debug, Deserialize)]
pub struct AmountIn {
    amount: Digits,
    currency: Text,
}

impl AmountIn {
    /// Parses the amount, in the body's field `amount`.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] unless it is a positive amount of an ISO 4217 currency. The domain checks that the
    /// platform has enabled the currency.
    pub fn parse(&self) -> Result<Money, ApiError> {
        let currency = currency_of("amount.currency", self.currency.as_str())?;
        self.amount.parse("amount.amount", currency)
    }
}

/// The maximum amount depends on the decimals of its currency.
impl PartialSchema for AmountIn {
    fn schema() -> RefOr<Schema> {
        let text =
            "An amount of a currency that the platform has enabled, with at most the currency's decimals.";
        let amount = ObjectBuilder::new().schema_type(Type::Number).exclusive_minimum(Some(0));
        let both = ObjectBuilder::new().description(Some(text)).schema_type(Type::Object);
        let both = both.property("amount", amount).property("currency", one_of(codes(|_| true)));
        let both = both.required("amount").required("currency");
        let decimals: BTreeSet<u32> = Currency::all().map(Currency::decimals).collect();
        let bounds = decimals.into_iter().fold(AnyOfBuilder::new(), |bounds, decimals| {
            let most = MAX_MINOR / 10_i64.pow(decimals);
            let amount = ObjectBuilder::new().schema_type(Type::Number).maximum(isize::try_from(most).ok());
            let currency = one_of(codes(|currency| currency.decimals() == decimals));
            bounds.item(ObjectBuilder::new().property("amount", amount).property("currency", currency))
        });
        AllOfBuilder::new().item(both).item(bounds).into()
    }
}

impl ToSchema for AmountIn {}

fn codes(is_one: impl Fn(Currency) -> bool) -> impl Iterator<Item = String> {
    Currency::all().filter(move |currency| is_one(*currency)).map(|currency| currency.code().to_owned())
}

/// Currency of a node's account.
#[derive(Clone, Copy, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OfCurrency {
    /// Currency as an ISO 4217 code.
    #[param(inline, required = false, value_type = CurrencyOrUsd)]
    pub currency: Currency,
}

impl Parameters for OfCurrency {
    fn read(query: Query<'_>) -> Result<Self, ApiError> {
        let code = query.text("currency")?;
        let currency = code.map_or(Ok(Currency::USD), |code| currency_of("currency", &code))?;
        Ok(Self { currency })
    }
}

/// Returns the currency with this code, which stands in `field`.
///
/// # Errors
///
/// [`ApiError::Invalid`] that names the field, unless ISO 4217 lists the code with a minor unit.
pub fn currency_of(field: impl Into<Cow<'static, str>>, code: &str) -> Result<Currency, ApiError> {
    if let Some(currency) = Currency::parse(code) {
        return Ok(currency);
    }
    let must = "must be an ISO 4217 code";
    // A text that cannot be a code is not repeated: it may be a secret in the wrong field.
    let text = match code.as_bytes() {
        _ if Currency::is_uncountable(code) => format!("{must} with a minor unit; {code} has none"),
        [a, b, c] if [a, b, c].iter().all(|byte| byte.is_ascii_alphabetic()) => {
            format!("{must}; {code} is none")
        }
        _ => must.to_owned(),
    };
    Err(ApiError::invalid(field, text))
}

/// A number of an answer, with all decimals of its currency: `100.00`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal(pub Money);

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.to_string()).map_err(S::Error::custom)?.serialize(serializer)
    }
}

/// `{amount, currency}` of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Amount {
    amount: Decimal,
    #[schema(value_type = CurrencyCode)]
    currency: Currency,
}

impl From<Money> for Amount {
    fn from(money: Money) -> Self {
        Self { amount: Decimal(money), currency: money.currency }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;

    fn read(amount: &str, currency: &str) -> Result<i64, String> {
        let json = format!(r#"{{"amount": {amount}, "currency": {currency}}}"#);
        let body = Body::from(actix_web::web::Bytes::from(json));
        let money = body.json::<AmountIn>().and_then(|amount| amount.parse());
        money.map(|money| money.minor).map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_are_read_exactly() {
        let good = [
            ("100", 10_000),
            ("0.01", 1),
            ("0.29", 29),
            ("1.10", 110),
            ("1e2", 10_000),
            ("9999999999.99", 999_999_999_999),
            ("10000000000.00000", 1_000_000_000_000),
            (" 5\t", 500),
        ];
        for (text, minor) in good {
            assert_eq!(read(text, r#""USD""#), Ok(minor), "{text}");
        }
    }

    #[test]
    fn invalid_amounts_are_refused() {
        let digits = "9".repeat(400);
        let bad = [
            ("0", "amount.amount must be greater than zero."),
            ("-0.0", "amount.amount must be greater than zero."),
            ("-5", "amount.amount must be greater than zero."),
            ("0.001", "amount.amount has more decimals than the currency has."),
            ("1e-9999999999999", "amount.amount has more decimals than the currency has."),
            ("10000000000.01", "amount.amount must be at most 10^12 minor units."),
            ("1e9999999999999", "amount.amount must be at most 10^12 minor units."),
            (&digits, "amount.amount must be at most 10^12 minor units."),
            (r#""5""#, "amount.amount must be a number."),
            ("true", "amount.amount must be a number."),
            ("null", "amount.amount must be a number."),
            ("[5]", "amount.amount must be a number."),
            ("{}", "amount.amount must be a number."),
            ("NaN", "body is not JSON at line 1, column 12."),
            ("+5", "body is not JSON at line 1, column 12."),
            ("05", "body is not JSON at line 1, column 13."),
            (".5", "body is not JSON at line 1, column 12."),
            ("5.", "body is not JSON at line 1, column 14."),
        ];
        for (text, expected) in bad {
            assert_eq!(read(text, r#""USD""#), Err(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn currency_must_be_an_iso_4217_code() {
        let bad = [
            (r#""XYZ""#, "amount.currency must be an ISO 4217 code; XYZ is none."),
            (r#""XAU""#, "amount.currency must be an ISO 4217 code with a minor unit; XAU has none."),
            (r#""usd""#, "amount.currency must be an ISO 4217 code; usd is none."),
            (r#""""#, "amount.currency must be an ISO 4217 code."),
            ("null", "currency must be a string."),
        ];
        for (code, expected) in bad {
            assert_eq!(read("5", code), Err(expected.to_owned()), "{code}");
        }
        for (code, minor) in [(r#""EUR""#, 500), (r#""JPY""#, 5), (r#""BHD""#, 5_000)] {
            assert_eq!(read("5", code), Ok(minor), "{code}");
        }
    }

    #[test]
    fn amounts_go_out_with_all_decimals() {
        for (minor, text) in
            [(10_000, "100.00"), (0, "0.00"), (-5, "-0.05"), (1_000_000_000_000, "10000000000.00")]
        {
            let json = serde_json::to_string(&Amount::from(Money::new(minor, Currency::USD))).unwrap();
            assert_eq!(json, format!(r#"{{"amount":{text},"currency":"USD"}}"#));
        }
    }
}
