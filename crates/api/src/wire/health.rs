//! What the service says of itself to those who watch it.

use serde::Serialize;
use utoipa::ToSchema;

/// The process runs.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Live {
    /// `live`
    pub status: &'static str,
}

/// It can serve.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Ready {
    /// How many positions the read models are behind the log.
    pub lag: u64,
    /// The end of the log.
    pub position: u64,
    /// `ready`
    pub status: &'static str,
}
