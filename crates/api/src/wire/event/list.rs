//! Page of the event feed.

use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::description::values::EventRecord;

/// Page of the event feed, the oldest event first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EventList {
    /// Cursor for the next call.
    pub cursor: String,
    /// Events, each in the form in which a webhook delivers it.
    #[schema(value_type = Vec<EventRecord>)]
    pub events: Vec<Box<RawValue>>,
    /// Number of events in this answer.
    pub events_count: usize,
    /// True if the log continues after these events: the next call returns at once, possibly without events.
    pub has_more: bool,
    /// Maximum number of events per answer.
    pub limit: u32,
    /// Always `true`.
    pub success: bool,
}
