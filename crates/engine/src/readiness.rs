//! Whether this process can serve, and if not, which part of it cannot and why.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use daybook_log::Error as LogError;
use daybook_pg::migrate;
use daybook_projector::Trouble;

use crate::engine::{Engine, SHARD};
use crate::heartbeat::{Component, Condition};
use crate::writer::Stopped;

/// Why a part does not work; none if it does.
pub type Fault = Option<Cow<'static, str>>;

/// The parts that serving takes.
#[derive(Clone, Debug, Default)]
pub struct Readiness {
    /// It answers.
    pub database: Fault,
    /// It has every migration of this binary.
    pub schema: Fault,
    /// It can be read.
    pub log: Fault,
    /// It takes commands.
    pub writer: Fault,
    /// Why the projection of this process stands still. Reads are then of where it stands, and writes go on: it alone
    /// makes nobody unready, for every process would be so at once.
    pub projection: Option<Arc<Trouble>>,
    /// The condition of each background worker. None of them makes this process unready: requests are served without it.
    pub workers: BTreeMap<Component, Condition>,
    /// The end of the log, if it can be read.
    pub position: u64,
    /// How far read models have come, if that can be read.
    pub projected: u64,
}

impl Readiness {
    /// Whether it can serve.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        [&self.database, &self.schema, &self.log, &self.writer].into_iter().all(Option::is_none)
    }
}

impl Engine {
    /// Looks at every part.
    pub async fn readiness(&self) -> Readiness {
        let (projection, workers) = (self.reads().store().trouble(SHARD), self.heartbeats().conditions());
        let mut found = Readiness { projection, workers, ..Readiness::default() };
        if !self.is_writing() {
            found.writer = Some(self.stopped().map_or("it has stopped", Stopped::as_str).into());
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
