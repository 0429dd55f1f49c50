//! Erasure of users by crypto-shredding: an event records the erasure, and every process that reads the event destroys
//! the user's keys. The keys of the bank's files whose retention has ended are destroyed again at every start and every
//! hour.
//!
//! Every process with an engine follows the erasures of the log. It executes all of them when it starts and once an
//! hour, so that a restored vault never keeps the keys of an erased user, and new ones as they arrive. Finding them
//! costs one lookup in an index that holds nothing else. A process that cannot read the log of a shard drops its cached
//! keys.

mod decide;

use std::time::{Duration, Instant};

use daybook_domain::UserId;
use daybook_domain::user::event::ERASED;
use daybook_log::Shard;
use daybook_pg::Causes;
use tokio::sync::watch;
use tracing::field::display;
use uuid::Uuid;

use crate::engine::Engine;
use crate::error::StoresError;
use crate::heartbeat::{Component, LATE_AFTER};

/// Maximum delay until a process that can reach the database executes another process's erasure.
pub const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Interval at which all erasures are executed again, in case the vault was restored under a running service.
const REPEAT_INTERVAL: Duration = Duration::from_hours(1);

/// Number of subjects erased with one statement.
const SUBJECTS_PER_STATEMENT: usize = 1_000;

/// Worker that executes the erasures of one shard.
pub struct Eraser {
    engine: Engine,
    shard: Shard,
    /// Position up to which the erasures of users are executed.
    executed: u64,
    /// True until the keys of evidence were destroyed again.
    repeats: bool,
}

impl Eraser {
    /// Creates an eraser of `shard` that has executed nothing yet.
    #[must_use]
    pub fn new(engine: Engine, shard: Shard) -> Self {
        Self { engine, shard, executed: 0, repeats: true }
    }

    /// Executes the erasures recorded since the last call; the first call executes all of them. Returns their number.
    ///
    /// # Errors
    ///
    /// [`StoresError`]. The process has then dropped all cached keys of the shard, and some erasures may not be executed.
    pub async fn execute(&mut self) -> Result<usize, StoresError> {
        let done = self.try_execute().await;
        self.engine.metrics().erased(self.shard, done.as_ref().ok().copied());
        let fault = done.is_err().then_some("keys of erased users may be there still".into());
        self.engine.heartbeats(self.shard).turn(Component::Erasures, LATE_AFTER, fault);
        if done.is_err() {
            self.engine.vault().forget_shard(self.shard);
            self.engine.access().forget_sessions(self.shard);
        }
        done
    }

    async fn try_execute(&mut self) -> Result<usize, StoresError> {
        let found = self.engine.log().of_type(self.shard, ERASED, self.executed).await?;
        let users: Vec<Uuid> = found.iter().map(|place| place.stream).collect();
        // Evidence is rare: its keys are destroyed by the process that ends the retention. Here this is repeated.
        let evidence = if self.repeats {
            self.engine.reads().lists().destroyed_evidence(self.shard).await?
        } else {
            vec![]
        };
        for some in [users, evidence].concat().chunks(SUBJECTS_PER_STATEMENT) {
            self.engine.destroy(self.shard, some).await?;
        }
        self.repeats = false;
        if let Some(last) = found.last() {
            self.executed = last.position;
        }
        Ok(found.len())
    }

    /// Runs until `stop` is set. Continues through outages of the database.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) {
        let mut began = Instant::now();
        while !*stop.borrow() {
            if began.elapsed() >= REPEAT_INTERVAL {
                (self.executed, self.repeats, began) = (0, true, Instant::now());
            }
            if let Err(error) = self.execute().await {
                let error = display(Causes(&error));
                tracing::warn!(
                    shard = self.shard,
                    error,
                    "cannot read the erasures of the log; its cached keys were dropped"
                );
            }
            tokio::select! {
                () = tokio::time::sleep(POLL_INTERVAL) => {}
                stopped = stop.changed() => if stopped.is_err() { return },
            }
        }
    }
}

impl Engine {
    /// Destroys the keys of `subjects` and deletes all their credentials, in the tables and in this process.
    pub(crate) async fn destroy(&self, shard: Shard, subjects: &[Uuid]) -> Result<(), StoresError> {
        let traces = self.vault().erase(shard, subjects).await?;
        let users: Vec<UserId> = subjects.iter().map(|id| UserId::from(*id)).collect();
        self.access().forget(shard, &users).await?;
        if traces.keys > 0 {
            tracing::info!(
                subjects = subjects.len(),
                keys = traces.keys,
                "keys of erased subjects were destroyed"
            );
        }
        Ok(())
    }
}
