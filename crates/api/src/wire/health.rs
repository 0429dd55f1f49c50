//! What the service says of itself to those who watch it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use daybook_engine::heartbeat::Condition;
use daybook_engine::readiness::{Fault, Readiness};
use serde::Serialize;
use utoipa::ToSchema;

/// The process runs.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Live {
    /// `live`
    pub status: &'static str,
}

/// It can serve.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Ready {
    /// How many positions the read models are behind the log.
    pub lag: u64,
    /// How each part does.
    pub parts: Parts,
    /// The end of the log.
    pub position: u64,
    /// `ready`; with status 503, beside what every failure says, `not_ready` or `stopping`
    pub status: &'static str,
}

/// How each part of the service does.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Parts {
    /// PostgreSQL.
    pub database: Part,
    /// The log.
    pub log: Part,
    /// What keeps read models up with the log. While it is `stopped` the service is ready: lists are of where it
    /// stands, and writes go on.
    pub projection: Part,
    /// The migrations of the database.
    pub schema: Part,
    /// What takes commands.
    pub writer: Part,
    /// Each background worker of this process, by its name. While one is not `ok` the service is ready.
    #[serde(flatten)]
    pub workers: BTreeMap<&'static str, Part>,
}

/// How a part does.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Part {
    /// What is wrong, if something is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub because: Option<Cow<'static, str>>,
    /// How far it has come: of the projection, and of it alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = u64, required = false)]
    pub position: Option<u64>,
    /// `ok`; `failed`; `late`: it fails for more than five minutes; or `stopped`: that does not pass by itself
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
