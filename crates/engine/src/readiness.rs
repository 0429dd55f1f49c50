//! Readiness of this process, with the reason if a part of it is not ready.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use daybook_log::Error as LogError;
use daybook_pg::migrate;
use daybook_projector::Trouble;

use crate::engine::{Engine, SHARD};
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
    /// Returns true if the process can serve requests.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        [&self.database, &self.schema, &self.log, &self.writer].into_iter().all(Option::is_none)
    }
}

impl Engine {
    /// Checks every part.
    pub async fn readiness(&self) -> Readiness {
        let (projection, workers) = (self.reads().store().trouble(SHARD), self.heartbeats().conditions());
        let mut found = Readiness { projection, workers, ..Readiness::default() };
        if !self.is_writing(SHARD) {
            found.writer =
                Some(self.stopped(SHARD).map_or("it has stopped", WriterStopReason::as_str).into());
        }
        match migrate::applied(self.access().pg()).await {
            Ok(applied) if applied < migrate::newest() => {
                let newest = migrate::newest();
                found.schema =
                    Some(format!("migration {applied} of {newest} was the last: run daybook migrate").into());
            }
            Ok(_) => {}
            Err(error) if error.is_transient() => {
                found.database = Some("it does not answer".into());
                return found;
            }
            Err(_) => found.schema = Some("which migrations were applied cannot be read".into()),
        }
        match self.log().head(SHARD).await {
            Ok(head) => found.position = head.position,
            Err(LogError::Unavailable(_)) => found.database = Some("it does not answer".into()),
            Err(error) => found.log = Some(error.to_string().into()),
        }
        match self.reads().store().position(SHARD).await {
            Ok(position) => found.projected = position,
            Err(_) => found.database = Some("the cursor of read models cannot be read".into()),
        }
        found
    }
}
