//! An attempt to tell a subscription something, as the API shows it.

use daybook_domain::id::BoxId;
use daybook_engine::AnswerBeginning;
use daybook_engine::webhook::Attempt;
use serde::Serialize;
use utoipa::ToSchema;

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
