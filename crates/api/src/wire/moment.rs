//! Moments of a query: a position of the log, a calendar day, or a time.

use daybook_domain::Timestamp;
use daybook_domain::calendar::Day;
use daybook_projector::{Moment, Until};
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterIn};

use crate::ApiError;
use crate::description::values::{self, MomentOrDay};
use crate::in_query::Parameters;
use crate::query::Query;

/// Name of the parameter.
const AT: &str = "at";

/// Moment of a request for one record.
#[derive(Clone, Copy, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AsOf {
    /// Moment of the answer: a position of the log, or a time such as `2026-03-01T12:00:00Z`. Defaults to now.
    #[param(inline, required = false, value_type = values::Moment)]
    pub at: Moment,
}

impl AsOf {
    /// Returns the moment of the request; `None` if it is now. A calendar day is refused, because only balances exist
    /// per day.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] unless it is a position, or a time not after `now`.
    pub fn until(self, now: Timestamp) -> Result<Option<Until>, ApiError> {
        recorded(come(self.at, now)?)
    }
}

impl Parameters for AsOf {
    fn read(query: Query<'_>) -> Result<Self, ApiError> {
        Ok(Self { at: at(query)? })
    }
}

/// Moment of a request for a balance.
#[derive(Clone, Copy, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AsOfDay {
    /// Moment of the answer: a position of the log, a time such as `2026-03-01T12:00:00Z`, or the end of a day such as
    /// `2026-03-01` by effective date. Defaults to now.
    #[param(inline, required = false, value_type = MomentOrDay)]
    pub at: Moment,
}

impl AsOfDay {
    /// Returns the moment of the request.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if it is a time after `now`.
    pub fn moment(self, now: Timestamp) -> Result<Moment, ApiError> {
        come(self.at, now)
    }
}

impl Parameters for AsOfDay {
    fn read(query: Query<'_>) -> Result<Self, ApiError> {
        Ok(Self { at: at(query)? })
    }
}

/// Moment of a request that only has a current answer: the parameter `at` is refused.
#[derive(Clone, Copy, Debug)]
pub struct Latest;

impl IntoParams for Latest {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![]
    }
}

impl Parameters for Latest {
    fn read(query: Query<'_>) -> Result<Self, ApiError> {
        none(query).map(|()| Self)
    }
}

/// Parses the parameter `at`; returns now if it was not sent.
fn at(query: Query<'_>) -> Result<Moment, ApiError> {
    query.text(AT)?.map_or(Ok(Moment::Now), |text| parse(&text))
}

/// Refuses a time after `now`: later events can still be recorded before it.
fn come(moment: Moment, now: Timestamp) -> Result<Moment, ApiError> {
    match moment {
        Moment::Recorded(time) if time > now => Err(ApiError::invalid(AT, "is in the future")),
        moment => Ok(moment),
    }
}

/// Returns the range of the log up to `moment`; `None` if it is now.
///
/// # Errors
///
/// [`ApiError::Invalid`] if the moment is a calendar day.
pub fn recorded(moment: Moment) -> Result<Option<Until>, ApiError> {
    match moment {
        Moment::Now => Ok(None),
        Moment::Position(position) => Ok(Some(Until::Position(position))),
        Moment::Recorded(time) => Ok(Some(Until::Recorded(time))),
        Moment::EffectiveDay(_) => Err(ApiError::invalid(
            AT,
            "must be a position or a time in UTC (2026-03-01T12:00:00Z); only balances are told by day",
        )),
    }
}

/// Refuses the parameter `at` for an answer that exists for the current state only.
///
/// # Errors
///
/// [`ApiError::Invalid`] if it was sent.
pub fn none(query: Query<'_>) -> Result<(), ApiError> {
    match query.text(AT)? {
        Some(_) => Err(ApiError::invalid(AT, "is for one record or a balance; this answer is of now")),
        None => Ok(()),
    }
}

/// Parses a moment.
///
/// # Errors
///
/// [`ApiError::Invalid`] unless it is a position, a date or a time.
pub fn parse(text: &str) -> Result<Moment, ApiError> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().map(Moment::Position).map_err(|_| beyond());
    }
    let moment = if text.contains('T') {
        text.parse().ok().map(Moment::Recorded)
    } else {
        text.parse().ok().map(|day: Day| Moment::EffectiveDay(day.number()))
    };
    let must = "must be a position, a date (2026-03-01) or a time in UTC (2026-03-01T12:00:00Z)";
    moment.ok_or_else(|| ApiError::invalid(AT, must))
}

/// Returns the error for a position after the end of the log.
#[must_use]
pub fn beyond() -> ApiError {
    ApiError::invalid(AT, "is beyond the end of the log")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<Moment, String> {
        at(Query(query)).map_err(|error| error.to_string())
    }

    #[test]
    fn moment_is_position_day_or_time() {
        let recorded = |ms| Moment::Recorded(Timestamp::from_ms(ms));
        let table = [
            ("", Moment::Now),
            ("at=0", Moment::Position(0)),
            ("at=0042", Moment::Position(42)),
            ("at=18446744073709551615", Moment::Position(u64::MAX)),
            ("at=1970-01-01", Moment::EffectiveDay(0)),
            ("at=1969-12-31", Moment::EffectiveDay(-1)),
            ("at=2000-02-29", Moment::EffectiveDay(11_016)),
            ("at=2000-03-01", Moment::EffectiveDay(11_017)),
            ("at=2026-11-21", Moment::EffectiveDay(20_778)),
            ("at=0001-01-01", Moment::EffectiveDay(-719_162)),
            ("at=9999-12-31", Moment::EffectiveDay(2_932_896)),
            ("at=1970-01-01T00:00:00Z", recorded(0)),
            ("at=2026-03-01T12%3A00%3A00Z", recorded(1_772_366_400_000)),
            ("at=2026-03-01T12:00:00.0019Z", recorded(1_772_366_400_001)),
            ("at=2026-03-01T12:00:00.5Z", recorded(1_772_366_400_500)),
        ];
        for (query, moment) in table {
            assert_eq!(read(query), Ok(moment), "{query}");
        }
    }

    #[test]
    fn invalid_moments_are_refused() {
        let bad = [
            "",
            "now",
            "-1",
            "+1",
            "1.0",
            "1e3",
            "2026-1-1",
            "2026-13-01",
            "2026-00-10",
            "2026-02-29",
            "1900-02-29",
            "2026-04-31",
            "2026-01-00",
            "26-01-01",
            "12026-01-01",
            "-2026-01-01",
            "2026-01-01Z",
            "2026-01-01T",
            "2026-01-01T12:00Z",
            "2026-01-01T12:00:00",
            "2026-01-01T24:00:00Z",
            "2026-01-01T12:60:00Z",
            "2026-01-01T12:00:60Z",
            "2026-01-01T12:00:00.Z",
            "2026-01-01T12:00:00.xZ",
            "2026-01-01T12:00:00:00Z",
            "2026-01-01T12:00:00%2B01:00",
            "2026-01-01 12:00:00Z",
            "x-01-01",
            "%D9%A3",
        ];
        for text in bad {
            let wrong = read(&format!("at={}", text.replace(' ', "%20"))).expect_err(text);
            assert!(wrong.starts_with("at must be a position"), "{text}: {wrong}");
        }
    }

    #[test]
    fn too_large_position_is_beyond_the_end() {
        assert_eq!(read("at=18446744073709551616"), Err("at is beyond the end of the log.".to_owned()));
    }
}
