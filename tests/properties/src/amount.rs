//! Amounts: decimal text to minor units. Input: the currency on a line, then the text.

use actix_web::web::Bytes;
use daybook_api::body::Body;
use daybook_api::wire::amount::AmountIn;
use daybook_domain::{Currency, Money};

use crate::chosen;

/// Checks that all parsers read an amount exactly, to the last digit, or refuse it.
///
/// # Panics
///
/// Panics if the property is violated.
pub fn holds(data: &[u8]) {
    let Some((code, text)) = chosen(data) else { return };
    let (Some(currency), Ok(text)) = (Currency::parse(code), std::str::from_utf8(text)) else { return };
    let read = Money::parse(text, currency);
    if let Ok(money) = read {
        reads_back(money, currency);
        is_near(money, text);
    }
    let positive = Money::parse_positive(text, currency);
    assert_eq!(positive.ok(), read.ok().filter(|money| money.may_move()), "{text:?}");
    let body = Body::from(Bytes::from(format!(r#"{{"amount": {text}, "currency": "{code}"}}"#)));
    // A text may also close the JSON object and continue. The amount is then not the whole text.
    if text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
        && let Ok(money) = body.json::<AmountIn>().and_then(|amount| amount.parse())
    {
        assert_eq!(Ok(money), positive, "{text:?}");
    }
}

/// Checks that an amount has one canonical text, which is read as the same amount.
fn reads_back(money: Money, currency: Currency) {
    let canonical = money.to_string();
    let again = Money::parse(&canonical, currency).expect("what was written");
    assert_eq!((again, again.to_string()), (money, canonical));
}

/// Compares with a floating-point conversion, within its precision.
fn is_near(money: Money, text: &str) {
    let float: f64 = text.parse().expect("what is an amount is a number");
    let unit = 10_f64.powi(i32::try_from(money.currency.decimals()).expect("few"));
    #[expect(clippy::cast_precision_loss, reason = "compared up to that loss")]
    let minor = money.minor as f64;
    let error = (float * unit - minor).abs();
    assert!(error <= 1e-9 * minor.abs().max(1.0), "{text:?} is not {money:?}");
}
