//! Record of an attempt to deliver a webhook.

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

/// Filter of a list of webhook deliveries.
#[derive(Clone, Copy, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Attempts {
    /// Returns only deliveries to this subscription.
    #[param(rename = "subscription_id", inline, required = false, value_type = ObjectId)]
    pub subscription: Option<SubscriptionId>,
    /// Returns only deliveries before this one: the `_id` of the last record of the previous page.
    #[param(inline, required = false, value_type = ObjectId)]
    pub before: Option<BoxId>,
    /// Maximum number of deliveries in the answer.
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

/// Parses the id in a parameter, if it was sent.
fn id<T: FromStr>(query: Query<'_>, name: &'static str) -> Result<Option<T>, ApiError> {
    let text = query.text(name)?;
    text.map(|text| text.parse().map_err(|_| ApiError::invalid(name, "must be an id"))).transpose()
}

/// An attempt to deliver a webhook, with its result.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AttemptRecord {
    #[serde(rename = "_id")]
    id: String,
    subscription_id: String,
    event_id: String,
    position: u64,
    attempt: i16,
    /// Time of the attempt in milliseconds since the Unix epoch.
    date: u64,
    outcome: String,
    status: Option<u16>,
    took_ms: u32,
    answer: String,
}

impl AttemptRecord {
    /// Renders `attempt`; `beginning` is the beginning of the receiver's answer.
    #[must_use]
    pub fn of(attempt: &Attempt, beginning: AnswerBeginning) -> Self {
        // All ids have the same spelling, whatever they name.
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

/// A page of webhook deliveries, the newest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AttemptList {
    /// Maximum number of deliveries per page.
    pub limit: u32,
    /// Deliveries.
    pub logs: Vec<AttemptRecord>,
    /// Number of deliveries on this page.
    pub logs_count: usize,
    /// Always `true`.
    pub success: bool,
}
