//! Request for a statement of the sandbox's bank, and the file that it writes.

use daybook_domain::calendar::Day;
use daybook_domain::{Currency, Money};
use daybook_engine::statements::TakenFile;
use daybook_engine::statements::sandbox_bank::{Format, LinePer, Options, WrittenStatement};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ApiError;
use crate::description::values::{
    CurrencyCode, CurrencyOrUsd, LineSubject, PositiveAmount, StatedDay, WrittenFormat,
};
use crate::wire::amount::{Decimal, Digits, currency_of};
use crate::wire::form::Whole;
use crate::wire::ops::statement::{self, File};
use crate::wire::required;
use crate::wire::text::Text;

/// Number of late items: at most all that one statement can have.
type Late = Whole<0, 5_000>;

/// Request for the bank's statement of the current day.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct StateDay {
    #[schema(value_type = WrittenFormat)]
    format: Option<Text>,
    /// Currency of the account.
    #[schema(inline, value_type = Option<CurrencyOrUsd>)]
    currency: Option<Text>,
    /// `each` (default): one line for each open item. `file`: one line for each ACH file, net of its items.
    #[schema(value_type = Option<LineSubject>)]
    lines: Option<Text>,
    /// Number of the newest open items that the bank states later.
    #[schema(value_type = Option<Late>)]
    late: Option<Late>,
    /// Monthly fee of the bank, as a line of its own.
    #[schema(value_type = Option<PositiveAmount>)]
    fee: Option<Digits>,
    /// True if the bank states the last line twice.
    doubled: Option<bool>,
    /// Day that a file of the bank stated, and that the bank states again. By default, the current day is stated.
    #[schema(value_type = Option<StatedDay>)]
    restate: Option<Text>,
    /// True if the file is taken in by the same call.
    take: Option<bool>,
}

impl StateDay {
    /// Parses the requirements; true if the file is to be taken in.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] that names the field.
    pub fn parse(self) -> Result<(Options, bool), ApiError> {
        let currency =
            self.currency.as_ref().map(|code| currency_of("currency", code.as_str())).transpose()?;
        let currency = currency.unwrap_or(Currency::USD);
        let fee = self.fee.map(|fee| fee.parse("fee", currency)).transpose()?;
        let options = Options {
            format: format(&required("format", self.format)?)?,
            currency,
            per: subject(self.lines.as_ref().map(Text::as_str))?,
            late: self.late.and_then(|late| usize::try_from(late.get()).ok()).unwrap_or_default(),
            fee: fee.map(|fee| fee.minor),
            doubled: self.doubled.unwrap_or_default(),
            restate: self.restate.as_ref().map(|day| date(day.as_str())).transpose()?,
        };
        Ok((options, self.take.unwrap_or_default()))
    }
}

fn format(name: &str) -> Result<Format, ApiError> {
    match name {
        "bai2" => Ok(Format::Bai2),
        "camt" => Ok(Format::Camt),
        "mt940" => Ok(Format::Mt940),
        "csv" => Ok(Format::Csv),
        _ => Err(ApiError::invalid("format", "must be one of bai2, camt, mt940 and csv")),
    }
}

fn subject(name: Option<&str>) -> Result<LinePer, ApiError> {
    match name {
        None | Some("each") => Ok(LinePer::Item),
        Some("file") => Ok(LinePer::File),
        Some(_) => Err(ApiError::invalid("lines", "must be each or file")),
    }
}

fn date(text: &str) -> Result<Day, ApiError> {
    text.parse().map_err(|_| ApiError::invalid("restate", "must be a day such as 2026-01-31"))
}

/// A file of the sandbox's bank. `file` is its content; `taken` is the answer of the intake, if the call took it in.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WrittenFile {
    closing_balance: Decimal,
    #[schema(value_type = CurrencyCode)]
    currency: Currency,
    #[schema(value_type = String)]
    date: Day,
    file: String,
    format: &'static str,
    line_count: usize,
    name: String,
    opening_balance: Decimal,
    taken: Option<File>,
}

impl WrittenFile {
    /// Makes the answer.
    #[must_use]
    pub fn new(written: &WrittenStatement, taken: Option<&TakenFile>) -> Self {
        let decimal = |minor| Decimal(Money::new(minor, written.currency));
        Self {
            closing_balance: decimal(written.closing),
            currency: written.currency,
            date: written.day,
            file: written.text.clone(),
            format: written.format.version(),
            line_count: written.lines,
            name: written.name.clone(),
            opening_balance: decimal(written.opening),
            taken: taken.map(|taken| statement::file(taken, None)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(body: &str) -> Result<(Options, bool), ApiError> {
        serde_json::from_str::<StateDay>(body).expect("the shape of the request").parse()
    }

    #[test]
    fn only_format_is_required() {
        let plain = Options {
            format: Format::Bai2,
            currency: Currency::USD,
            per: LinePer::Item,
            late: 0,
            fee: None,
            doubled: false,
            restate: None,
        };
        assert_eq!(parse(r#"{"format": "bai2"}"#), Ok((plain, false)));
        let all = r#"{"format": "bai2", "currency": "EUR", "lines": "file", "late": 2, "fee": 12.5, "doubled": true,
            "restate": "2026-01-31", "take": true}"#;
        let currency = Currency::parse("EUR").expect("ISO 4217");
        let restate = Day::from_civil(2026, 1, 31);
        let (per, late, fee, doubled) = (LinePer::File, 2, Some(1_250), true);
        assert_eq!(parse(all), Ok((Options { currency, per, late, fee, doubled, restate, ..plain }, true)));
    }

    #[test]
    fn invalid_value_names_its_field() {
        let of = |field: &str| match parse(field) {
            Err(ApiError::Invalid { field, .. }) => field.into_owned(),
            other => panic!("{other:?}"),
        };
        assert_eq!(of("{}"), "format");
        for (field, value) in [
            ("format", r#""auto""#),
            ("currency", r#""usd""#),
            ("lines", r#""item""#),
            ("fee", "0"),
            ("fee", "-1"),
            ("fee", "0.001"),
            ("fee", r#""1""#),
            ("restate", r#""2026-02-30""#),
            ("restate", r#""today""#),
        ] {
            let others = if field == "format" { "" } else { r#""format": "bai2", "# };
            assert_eq!(of(&format!("{{{others}\"{field}\": {value}}}")), field, "{value}");
        }
    }
}
