//! Requests and answers of sandbox simulations other than those of transactions.

pub mod statement;

use daybook_domain::platform::clock::MAX_AHEAD_MS;
use daybook_domain::user::Permission;
use daybook_domain::{Currency, Money, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::form::Whole;
use super::text::Text;
use super::{amount, moment, required};
use crate::ApiError;
use crate::description::values::{DecimalsOrTen, FoundPermission};
use crate::in_query::Parameters;
use crate::query::Query;

/// Default amount of a dummy transaction: 10.00 (`docs/reference/api.md`, Sandbox).
const DUMMY: Money = Money::new(1_000, Currency::USD);

/// Request to grant a permission to a user.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct Verify {
    #[schema(value_type = FoundPermission)]
    permission: Option<Text>,
}

impl Verify {
    /// Parses the permission.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] unless it is one that an identity verification can grant.
    pub fn parse(self) -> Result<Permission, ApiError> {
        let must = || ApiError::invalid("permission", "must be UNVERIFIED, RECEIVE or SEND-AND-RECEIVE");
        let wanted = Permission::parse(&required("permission", self.permission)?);
        wanted.filter(|permission| permission.is_found()).ok_or_else(must)
    }
}

/// Seconds by which a clock can be advanced: at most ten years.
type Seconds = Whole<1, { MAX_AHEAD_MS / 1_000 }>;

/// Request to advance the platform's clock.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
pub struct Advance {
    /// Seconds to advance. The clock is never more than ten years ahead of real time.
    #[schema(value_type = Seconds)]
    seconds: Option<Seconds>,
}

impl Advance {
    /// Returns the number of milliseconds. The domain checks the limit.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if it is missing.
    pub fn parse(self) -> Result<i64, ApiError> {
        let seconds = self.seconds.ok_or_else(|| ApiError::missing("seconds"))?;
        Ok(seconds.get() * 1_000)
    }
}

/// Clock of the platform: the new time, and by how much it was advanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Clock {
    now: i64,
    advanced_ms: i64,
}

impl Clock {
    /// Makes the answer: the time is `now` after advancing by `advanced_ms`.
    #[must_use]
    pub const fn new(now: Timestamp, advanced_ms: i64) -> Self {
        Self { now: now.ms(), advanced_ms }
    }
}

/// Success without further data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Succeeded {
    success: bool,
}

impl Default for Succeeded {
    fn default() -> Self {
        Self { success: true }
    }
}

/// Request for a simulated transaction.
#[derive(Clone, Copy, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Dummy {
    /// `YES` pays to the node; any other value pays from it.
    #[param(value_type = Option<String>)]
    pub is_credit: bool,
    /// Amount in USD.
    #[param(inline, required = false, value_type = DecimalsOrTen)]
    pub amount: Money,
}

impl Parameters for Dummy {
    fn read(query: Query<'_>) -> Result<Self, ApiError> {
        moment::none(query)?;
        let amount = query.text("amount")?;
        let amount = amount.map_or(Ok(DUMMY), |text| amount::parse(&text, "amount", Currency::USD))?;
        Ok(Self { is_credit: query.flag("is_credit"), amount })
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn only_verifiable_permissions_are_accepted() {
        let parse = |body: &str| serde_json::from_str::<Verify>(body).unwrap().parse();
        for permission in [Permission::Unverified, Permission::Receive, Permission::SendAndReceive] {
            let body = format!(r#"{{"permission": "{}"}}"#, permission.as_str());
            assert_eq!(parse(&body), Ok(permission));
        }
        for body in [r#"{"permission": "LOCKED"}"#, r#"{"permission": "receive"}"#, "{}"] {
            assert!(parse(body).is_err(), "{body}");
        }
    }

    #[test]
    fn seconds_become_milliseconds_that_fit() {
        let parse = |seconds| Advance { seconds: Seconds::new(seconds) }.parse();
        assert_eq!(parse(900), Ok(900_000));
        for none in [0, -1, MAX_AHEAD_MS / 1_000 + 1, i64::MAX] {
            assert_eq!(parse(none), Err(ApiError::missing("seconds")), "{none}");
        }
    }

    #[test]
    fn a_dummy_amount_is_read_exactly() {
        let read = |query: &str| {
            let request = TestRequest::with_uri(&format!("/?{query}")).to_http_request();
            Dummy::read(Query::of(&request))
                .map(|dummy| dummy.amount.minor)
                .map_err(|error| error.to_string())
        };
        for (query, minor) in [("", 1_000), ("amount=0.29", 29), ("amount=10", 1_000), ("amount=1e2", 10_000)]
        {
            assert_eq!(read(query), Ok(minor), "{query}");
        }
        assert_eq!(read("amount=0"), Err("amount must be greater than zero.".to_owned()));
        assert_eq!(read("amount=0.001"), Err("amount has more decimals than the currency has.".to_owned()));
        assert_eq!(read("amount=ten"), Err("amount is not a decimal number.".to_owned()));
        assert!(read("amount=").is_err());
    }

    #[test]
    fn simulation_answers_have_the_contract_shape() {
        assert_eq!(serde_json::to_string(&Succeeded::default()).unwrap(), r#"{"success":true}"#);
        let clock = Clock::new(Timestamp::from_ms(5), 2);
        assert_eq!(serde_json::to_string(&clock).unwrap(), r#"{"now":5,"advanced_ms":2}"#);
    }
}
