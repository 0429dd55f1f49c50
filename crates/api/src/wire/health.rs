//! Health of the service as its monitoring sees it.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use daybook_engine::Shard;
use daybook_engine::heartbeat::Condition;
use daybook_engine::readiness::{Fault, Readiness, ShardReadiness};

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
    /// Number of log positions that the read models are behind; of several shards the largest.
    pub lag: u64,
    /// Status of each part of the service; of several shards the worst.
    pub parts: Parts,
    /// Position of the last event of the log; of several shards that of the lowest.
    pub position: u64,
    /// Each shard by its number, if this process serves several. The service is ready while one of them is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = BTreeMap<String, ShardHealth>, required = false)]
    pub shards: Option<BTreeMap<Shard, ShardHealth>>,
    /// `ready`. With status 503, beside the fields of an error: `not_ready` or `stopping`.
    pub status: &'static str,
}

/// Status of each part of the service.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Parts {
    /// The migrations of the database.
    pub schema: Part,
    /// The parts that each shard has.
    #[serde(flatten)]
    pub of_shard: ShardParts,
}

/// Health of a shard.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ShardHealth {
    /// Number of log positions that the read models are behind.
    pub lag: u64,
    /// Status of each part of the shard.
    pub parts: ShardParts,
    /// Position of the last event of the log.
    pub position: u64,
}

/// Status of each part of a shard.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ShardParts {
    /// PostgreSQL.
    pub database: Part,
    /// The event log.
    pub log: Part,
    /// The projection, which keeps the read models up to date. While it is `stopped` the service is ready: lists
    /// reflect an earlier position, and writes continue.
    pub projection: Part,
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

    /// Returns the rank of the status, from good to bad.
    fn rank(&self) -> usize {
        ["ok", "failed", "late"].iter().take_while(|status| **status != self.status).count()
    }

    /// Returns the worst of the parts; of equal ones that of the lowest shard. Its cause names the shard.
    fn worst<'a>(parts: impl Iterator<Item = (Shard, &'a Self)>) -> Option<Self> {
        let (shard, worst) = parts.min_by_key(|(_, part)| Reverse(part.rank()))?;
        let because = worst.because.as_ref().map(|because| format!("shard {shard}: {because}").into());
        Some(Self { because, ..worst.clone() })
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

impl From<ShardReadiness> for ShardHealth {
    fn from(found: ShardReadiness) -> Self {
        let status = match &found.projection {
            None => "ok",
            Some(trouble) if trouble.is_outage => "failed",
            Some(_) => "stopped",
        };
        let because = found.projection.map(|trouble| trouble.because.clone().into());
        let parts = ShardParts {
            database: Part::of(found.database),
            log: Part::of(found.log),
            projection: Part { because, position: Some(found.projected), status },
            writer: Part::of(found.writer),
            workers: found.workers.into_iter().map(|(worker, it)| (worker.as_str(), it.into())).collect(),
        };
        Self { lag: found.position.saturating_sub(found.projected), parts, position: found.position }
    }
}

impl ShardParts {
    /// Returns the worst status of each part of several shards.
    fn worst(shards: &BTreeMap<Shard, ShardHealth>) -> Self {
        let worst = |of: &dyn Fn(&Self) -> Option<&Part>| {
            Part::worst(shards.iter().filter_map(|(shard, it)| Some((*shard, of(&it.parts)?))))
                .unwrap_or_else(|| Part::of(None))
        };
        let names: BTreeSet<_> = shards.values().flat_map(|it| it.parts.workers.keys().copied()).collect();
        Self {
            database: worst(&|parts| Some(&parts.database)),
            log: worst(&|parts| Some(&parts.log)),
            projection: worst(&|parts| Some(&parts.projection)),
            writer: worst(&|parts| Some(&parts.writer)),
            workers: names.into_iter().map(|name| (name, worst(&|parts| parts.workers.get(name)))).collect(),
        }
    }
}

impl From<Readiness> for Ready {
    fn from(found: Readiness) -> Self {
        let status = if found.is_ready() { "ready" } else { "not_ready" };
        let shards: BTreeMap<Shard, ShardHealth> =
            found.shards.into_iter().map(|(shard, it)| (shard, it.into())).collect();
        let lag = shards.values().map(|it| it.lag).max().unwrap_or(0);
        let position = shards.values().next().map_or(0, |it| it.position);
        let is_one = shards.len() == 1;
        let mut of_shard = match shards.values().next() {
            Some(only) if is_one => only.parts.clone(),
            _ => ShardParts::worst(&shards),
        };
        if found.database.is_some() {
            of_shard.database = Part::of(found.database);
        }
        let parts = Parts { schema: Part::of(found.schema), of_shard };
        Self { lag, parts, position, shards: (!is_one).then_some(shards), status }
    }
}
