//! A part of the feed, as the API shows it.

use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::description::values::EventRecord;

/// Events in order, the oldest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EventList {
    /// Where the next part begins.
    pub cursor: String,
    /// The events, each as a subscription would be called with it.
    #[schema(value_type = Vec<EventRecord>)]
    pub events: Vec<Box<RawValue>>,
    /// How many these are.
    pub events_count: usize,
    /// Whether there is more at once, if only to be passed over.
    pub has_more: bool,
    /// How many there are at most.
    pub limit: u32,
    /// Always.
    pub success: bool,
}
