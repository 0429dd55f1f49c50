//! Days of a reconciliation, as the caller names them.

use daybook_domain::calendar::Day;
use daybook_engine::reconciliation::Period;
use utoipa::IntoParams;

use crate::description::values::CalendarDay;
use crate::error::ApiError;
use crate::in_query::Parameters;
use crate::query::Query;
use crate::wire::moment;

/// Days of a reconciliation.
#[derive(Clone, Copy, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PeriodOf {
    /// First day of the period, such as `2026-03-01`. Defaults to its last day.
    #[param(inline, required = false, value_type = CalendarDay)]
    pub from: Option<Day>,
    /// Last day of the period. Defaults to today, by the platform's clock.
    #[param(inline, required = false, value_type = CalendarDay)]
    pub to: Option<Day>,
}

impl PeriodOf {
    /// Returns the period.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if it ends before it begins.
    pub fn at(self, today: Day) -> Result<Period, ApiError> {
        let to = self.to.unwrap_or(today);
        let from = self.from.unwrap_or(to);
        if from > to {
            return Err(ApiError::invalid("from", "must not be after to"));
        }
        Ok(Period { from, to })
    }
}

impl Parameters for PeriodOf {
    fn read(query: Query<'_>) -> Result<Self, ApiError> {
        moment::none(query)?;
        Ok(Self { from: day(query, "from")?, to: day(query, "to")? })
    }
}

fn day(query: Query<'_>, name: &'static str) -> Result<Option<Day>, ApiError> {
    let wrong = |_| ApiError::invalid(name, "must be a date (2026-03-01)");
    query.text(name)?.map(|text| text.parse().map_err(wrong)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(query: &str) -> Result<(String, String), String> {
        let today = "2026-03-05".parse().expect("a date");
        let period = PeriodOf::read(Query(query)).and_then(|of| of.at(today));
        period.map(|it| (it.from.to_string(), it.to.to_string())).map_err(|error| error.to_string())
    }

    #[test]
    fn period_defaults_to_today() {
        let days = |from: &str, to: &str| Ok((from.to_owned(), to.to_owned()));
        assert_eq!(period(""), days("2026-03-05", "2026-03-05"));
        assert_eq!(period("from=2026-03-01"), days("2026-03-01", "2026-03-05"));
        assert_eq!(period("to=2026-02-01"), days("2026-02-01", "2026-02-01"));
        assert_eq!(period("from=2026-02-01&to=2026-02-28"), days("2026-02-01", "2026-02-28"));
    }

    #[test]
    fn invalid_periods_are_refused_by_field() {
        for query in ["from=2026-03-06", "from=2026-02-02&to=2026-02-01", "from=", "from=1"] {
            assert!(period(query).is_err_and(|text| text.starts_with("from ")), "{query}");
        }
        assert!(period("to=2026-02-30").is_err_and(|text| text.starts_with("to ")));
    }
}
