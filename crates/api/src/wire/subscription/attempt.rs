//! An attempt to tell a subscription something, as the API shows it.

use std::str::FromStr;

use daybook_domain::SubscriptionId;
use daybook_domain::id::BoxId;
use daybook_engine::AnswerBeginning;
use daybook_engine::webhook::Attempt;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use crate::ApiError;
use crate::description::values::ObjectId;
use crate::in_query::Parameters;
use crate::page::Page;
use crate::query::Query;
use crate::wire::moment;

/// A list of attempts to tell something.
#[derive(Clone, Copy, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Attempts {
    /// Only those of this subscription.
    #[param(rename = "subscription_id", inline, required = false, value_type = ObjectId)]
    pub subscription: Option<SubscriptionId>,
    /// Only those before this attempt, to go on from a page.
    #[param(inline, required = false, value_type = ObjectId)]
    pub before: Option<BoxId>,
    /// How many at most.
    #[param(rename = "per_page", minimum = 1, maximum = 100, default = 20, required = false)]
    pub limit: u32,
}

impl Parameters for Attempts {
    fn read(query: Query<'_>) -> Result<Self, ApiError> {
        moment::none(query)?;
        let Page { per_page: limit, .. } = Page::parse(query)?;
        Ok(Self { before: id(query, "before")?, subscription: id(query, "subscription_id")?, limit })
    }
}

/// The id that a parameter names, if it was sent.
fn id<T: FromStr>(query: Query<'_>, name: &'static str) -> Result<Option<T>, ApiError> {
    let text = query.text(name)?;
    text.map(|text| text.parse().map_err(|_| ApiError::invalid(name, "must be an id"))).transpose()
}

/// The record of an attempt.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AttemptRecord {
    #[serde(rename = "_id")]
    id: String,
    subscription_id: String,
    event_id: String,
    position: u64,
    attempt: i16,
    /// Milliseconds since the Unix epoch.
    date: u64,
    outcome: String,
    status: Option<u16>,
    took_ms: u32,
    answer: String,
}

impl AttemptRecord {
    /// The record of `attempt`, whose answer began so.
    #[must_use]
    pub fn of(attempt: &Attempt, beginning: AnswerBeginning) -> Self {
        // Ids are written in one way, whatever they name.
        let text = |id: u128| BoxId::from_u128(id).to_string();
        Self {
            id: text(attempt.id),
            subscription_id: attempt.subscription.to_string(),
            event_id: text(attempt.event_id),
            position: attempt.position,
            attempt: attempt.number,
            date: attempt.at_ms(),
            outcome: attempt.outcome.clone(),
            status: attempt.status,
            took_ms: attempt.took_ms,
            answer: beginning.text,
        }
    }
}

/// A page of attempts, the newest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AttemptList {
    /// How many a page has at most.
    pub limit: u32,
    /// The attempts.
    pub logs: Vec<AttemptRecord>,
    /// How many these are.
    pub logs_count: usize,
    /// Always.
    pub success: bool,
}
