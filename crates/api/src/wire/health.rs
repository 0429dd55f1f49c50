//! Health of the service as its monitoring sees it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use daybook_engine::heartbeat::Condition;
use daybook_engine::readiness::{Fault, Readiness};
use serde::Serialize;
use utoipa::ToSchema;

/// Answer of the liveness check: the process runs.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Live {
    /// Always `live`.
    pub status: &'static str,
}

/// Answer of the readiness check.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Ready {
    /// Number of log positions that the read models are behind.
    pub lag: u64,
    /// Status of each part of the service.
    pub parts: Parts,
    /// Position of the last event of the log.
    pub position: u64,
    /// `ready`. With status 503, beside the fields of an error: `not_ready` or `stopping`.
    pub status: &'static str,
}

/// Status of each part of the service.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Parts {
    /// PostgreSQL.
    pub database: Part,
    /// The event log.
    pub log: Part,
    /// The projection, which keeps the read models up to date. While it is `stopped` the service is ready: lists
    /// reflect an earlier position, and writes continue.
    pub projection: Part,
    /// The migrations of the database.
    pub schema: Part,
    /// The writer, which executes commands.
    pub writer: Part,
    /// Each background worker of this process, by its name. A worker that is not `ok` does not affect readiness.
    #[serde(flatten)]
    pub workers: BTreeMap<&'static str, Part>,
}

/// Status of a part of the service.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Part {
    /// Cause of the problem, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub because: Option<Cow<'static, str>>,
    /// Log position that the part has reached; only for the projection.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = u64, required = false)]
    pub position: Option<u64>,
    /// `ok`; `failed`; `late`: it has failed for more than five minutes; or `stopped`: it does not recover by itself.
    pub status: &'static str,
}

impl Part {
    fn of(fault: Fault) -> Self {
        let status = if fault.is_some() { "failed" } else { "ok" };
        Self { because: fault, position: None, status }
    }
}

impl From<Condition> for Part {
    fn from(condition: Condition) -> Self {
        let (status, because) = match condition {
            Condition::Ok => ("ok", None),
            Condition::Failed(because) => ("failed", Some(because)),
            Condition::Late(because) => ("late", Some(because)),
            Condition::Stopped(because) => ("stopped", Some(because)),
        };
        Self { because, position: None, status }
    }
}

impl From<Readiness> for Ready {
    fn from(found: Readiness) -> Self {
        let is_ready = found.is_ready();
        let status = match &found.projection {
            None => "ok",
            Some(trouble) if trouble.is_outage => "failed",
            Some(_) => "stopped",
        };
        let because = found.projection.map(|trouble| trouble.because.clone().into());
        Self {
            lag: found.position.saturating_sub(found.projected),
            parts: Parts {
                database: Part::of(found.database),
                log: Part::of(found.log),
                projection: Part { because, position: Some(found.projected), status },
                schema: Part::of(found.schema),
                writer: Part::of(found.writer),
                workers: found.workers.into_iter().map(|(worker, it)| (worker.as_str(), it.into())).collect(),
            },
            position: found.position,
            status: if is_ready { "ready" } else { "not_ready" },
        }
    }
}
