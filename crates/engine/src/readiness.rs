//! Readiness of this process, with the reason if a part of it is not ready.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use daybook_log::{Error as LogError, Shard};
use daybook_pg::migrate;
use daybook_projector::Trouble;
use futures::future::join_all;

use crate::engine::Engine;
use crate::heartbeat::{Component, Condition};
use crate::writer::WriterStopReason;

/// Reason why a part does not work; none if it works.
pub type Fault = Option<Cow<'static, str>>;

/// Condition of the parts that a process needs to serve requests.
#[derive(Clone, Debug, Default)]
pub struct Readiness {
    /// Fault of the database: it does not answer.
    pub database: Fault,
    /// Fault of the schema: a migration of this binary is missing.
    pub schema: Fault,
    /// Parts of each shard that this process serves. There is at least one.
    pub shards: BTreeMap<Shard, ShardReadiness>,
}

/// Condition of the parts that a process needs to serve the platforms of a shard.
#[derive(Clone, Debug, Default)]
pub struct ShardReadiness {
    /// Fault of the shard's database: it does not answer.
    pub database: Fault,
    /// Fault of the log: it cannot be read.
    pub log: Fault,
    /// Fault of the writer: it accepts no commands.
    pub writer: Fault,
    /// Reason why the projection of this process has stopped. Reads are then stale and writes continue. This alone does
    /// not make the process unready, because every process would become unready at once.
    pub projection: Option<Arc<Trouble>>,
    /// Condition of each background worker. No worker makes this process unready: requests are served without them.
    pub workers: BTreeMap<Component, Condition>,
    /// Position of the log's head, if the log can be read.
    pub position: u64,
    /// Position of the read models, if it can be read.
    pub projected: u64,
}

impl Readiness {
    /// Returns true if the process can serve requests of at least one shard. Requests of the other shards get an error,
    /// and a balancer that took the process away would refuse all of them.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        let is_whole = self.database.is_none() && self.schema.is_none();
        is_whole && self.shards.values().any(ShardReadiness::is_ready)
    }

    /// Returns the first fault because of which the process is not ready.
    #[must_use]
    pub fn fault(&self) -> Fault {
        let of_shards = self.shards.values().flat_map(|shard| [&shard.database, &shard.log, &shard.writer]);
        [&self.database, &self.schema].into_iter().chain(of_shards).find_map(Clone::clone)
    }
}

impl ShardReadiness {
    /// Returns true if requests about the shard can be served.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        [&self.database, &self.log, &self.writer].into_iter().all(Option::is_none)
    }
}

impl Engine {
    /// Checks every part of this process and of the shards that it serves.
    pub async fn readiness(&self) -> Readiness {
        let of_process = async {
            match migrate::applied(self.access().pg()).await {
                Ok(applied) if applied < migrate::newest() => {
                    let newest = migrate::newest();
                    let fault = format!("migration {applied} of {newest} was the last: run daybook migrate");
                    (None, Some(fault.into()))
                }
                Ok(_) => (None, None),
                Err(error) if error.is_transient() => (Some("it does not answer".into()), None),
                Err(_) => (None, Some("which migrations were applied cannot be read".into())),
            }
        };
        let of_shards = self
            .served()
            .into_iter()
            .map(async |(shard, fault)| (shard, self.readiness_of(shard, fault).await));
        let ((database, schema), shards) = futures::join!(of_process, join_all(of_shards));
        Readiness { database, schema, shards: shards.into_iter().collect() }
    }

    /// Checks the parts of a shard. `fault` is the reason why this process refuses calls about it.
    async fn readiness_of(&self, shard: Shard, fault: Fault) -> ShardReadiness {
        let store = self.reads().store();
        let (projection, workers) = (store.trouble(shard), self.heartbeats(shard).conditions());
        let mut found = ShardReadiness { log: fault, projection, workers, ..ShardReadiness::default() };
        if !self.is_writing(shard) {
            let why = self.stopped(shard).map_or("it has stopped", WriterStopReason::as_str);
            found.writer = Some(why.into());
        }
        match self.log().head(shard).await {
            Ok(head) => found.position = head.position,
            Err(LogError::Unavailable(_)) => {
                found.database = Some("it does not answer".into());
                return found;
            }
            Err(error) => found.log = Some(error.to_string().into()),
        }
        match store.position(shard).await {
            Ok(position) => found.projected = position,
            Err(_) => found.database = Some("the cursor of read models cannot be read".into()),
        }
        found
    }
}
