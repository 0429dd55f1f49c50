//! Pages of a list.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use utoipa::IntoParams;

use crate::ApiError;
use crate::query::Query;
use crate::wire::moment;

/// Default number of records per page.
const DEFAULT_PER_PAGE: u32 = 20;
/// Maximum number of records per page.
const MAX_PER_PAGE: u32 = 100;

/// Page of a list that a caller requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Page {
    /// Number of the page; the first is 1.
    #[param(rename = "page", minimum = 1, maximum = 4_294_967_295_u32, default = 1, required = false)]
    pub number: u32,
    /// Number of records per page, 1 to 100.
    #[param(minimum = 1, maximum = 100, default = 20, required = false)]
    pub per_page: u32,
}

impl Default for Page {
    fn default() -> Self {
        Self { number: 1, per_page: DEFAULT_PER_PAGE }
    }
}

impl Page {
    /// Returns the number of pages that `total` records fill; zero records fill zero pages.
    #[must_use]
    pub fn count(self, total: u64) -> u64 {
        total.div_ceil(u64::from(self.per_page.max(1)))
    }

    /// Reads the page from `query`.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if a value is not a number or is out of range.
    pub fn parse(query: Query<'_>) -> Result<Self, ApiError> {
        let Self { number, per_page } = Self::default();
        Ok(Self {
            number: query.number("page", u32::MAX)?.unwrap_or(number),
            per_page: query.number("per_page", MAX_PER_PAGE)?.unwrap_or(per_page),
        })
    }
}

impl From<Page> for daybook_projector::Page {
    fn from(page: Page) -> Self {
        Self { number: page.number, size: page.per_page }
    }
}

impl FromRequest for Page {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        let query = Query::of(request);
        ready(moment::none(query).and_then(|()| Self::parse(query)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(query: &str) -> Result<(u32, u32), String> {
        Page::parse(Query(query)).map(|page| (page.number, page.per_page)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_page_has_bounds() {
        let good = [
            ("", (1, 20)),
            ("page=3", (3, 20)),
            ("per_page=100&page=007", (7, 100)),
            ("scope=USER|PATCH&page=2&&=&x", (2, 20)),
            ("page=4294967295&per_page=1", (u32::MAX, 1)),
            ("page=1&page=2", (2, 20)),
            ("per%5Fpage=%35", (1, 5)),
        ];
        for (query, expected) in good {
            assert_eq!(page(query), Ok(expected), "{query}");
        }
        let long = format!("page={}", "9".repeat(400));
        let bad = [
            "page=0",
            "page=-1",
            "page=+1",
            "page=1.0",
            "page=1e3",
            "page=",
            "page",
            "page=x",
            "page=%00",
            "page=1%20",
            "page=4294967296",
            "page=18446744073709551616",
            &long,
        ];
        for query in bad {
            assert_eq!(
                page(query),
                Err("page must be a whole number from 1 to 4294967295.".to_owned()),
                "{query}"
            );
        }
        for query in ["per_page=0", "per_page=101", "per_page=abc"] {
            assert_eq!(
                page(query),
                Err("per_page must be a whole number from 1 to 100.".to_owned()),
                "{query}"
            );
        }
    }

    #[test]
    fn page_count_is_rounded_up() {
        let page = Page::default();
        assert_eq!([0, 1, 20, 21].map(|total| page.count(total)), [0, 1, 1, 2]);
    }
}
