//! Shards of the log: each is checked and prepared before it is served, also one that is added while the service runs.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use daybook_engine::{Clock, Engine, Eraser};
use daybook_log::postgres::PostgresLog;
use daybook_log::{Shard, Signers};
use daybook_pg::{Causes, Pg, in_background};
use daybook_projector::Reads;
use futures::{StreamExt, stream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::error::Error;
use crate::places::available;

/// Interval at which a service looks for new shards, and retries those that it could not open.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);

/// Maximum number of shards that are opened at the same time.
const CONCURRENT_OPENINGS: usize = 8;

/// Prepares the log and the read models of a shard.
///
/// # Errors
///
/// Fails if the log lacks its beginning or its end, a key may not sign for the shard, or the database is unavailable.
pub(super) async fn prepare(
    log: &PostgresLog,
    signers: &Signers,
    reads: &Reads,
    shard: Shard,
) -> Result<(), Error> {
    // A log without its beginning or its end is not accepted, and nothing is appended to it.
    log.verify_boundaries(shard).await?;
    // Keys are registered before anything is signed.
    let own = signers.of(shard).map_err(daybook_log::Error::from)?;
    log.register_keys(shard, &own.keys(), Clock.now().ms()).await?;
    // Commits of versions without proofs get their roots before requests are served.
    log.backfill_roots(shard).await?;
    Ok(reads.versions().install(shard).await?)
}

/// Opens shards. Each open one is served, and its erasures are executed.
pub(super) struct Shards {
    pub(super) engine: Engine,
    pub(super) log: PostgresLog,
    pub(super) signers: Signers,
    pub(super) pg: Pg,
    pub(super) stop: watch::Sender<bool>,
    /// The open shards.
    opened: watch::Sender<BTreeSet<Shard>>,
    erasers: Mutex<Vec<JoinHandle<()>>>,
}

impl Shards {
    /// Creates the shards of a log, of which none is open.
    pub(super) fn new(
        engine: Engine,
        log: PostgresLog,
        signers: Signers,
        pg: Pg,
        stop: watch::Sender<bool>,
    ) -> Self {
        let (opened, erasers) = (watch::Sender::default(), Mutex::default());
        Self { engine, log, signers, pg, stop, opened, erasers }
    }

    /// Opens a shard that is prepared: executes its erasures, then accepts calls about it.
    ///
    /// # Errors
    ///
    /// Fails if its erasures cannot be executed, or its writer cannot be started.
    pub(super) async fn open(&self, shard: Shard) -> Result<(), Error> {
        let mut eraser = Eraser::new(self.engine.clone(), shard);
        // Erasures are executed before requests are served: the vault may have been restored from a backup.
        eraser.execute().await?;
        self.engine.serve(shard)?;
        self.pg.serves(&self.engine.served().into_keys().collect::<Vec<_>>());
        let erasing = tokio::spawn(in_background(eraser.run(self.stop.subscribe())));
        self.erasers.lock().unwrap_or_else(PoisonError::into_inner).push(erasing);
        self.opened.send_modify(|opened| {
            opened.insert(shard);
        });
        Ok(())
    }

    /// Prepares and opens those of `shards` that are not open. Calls about one that fails are refused until it is open.
    pub(super) async fn open_others(&self, shards: Vec<Shard>) {
        let closed = shards.into_iter().filter(|shard| !self.engine.serves(*shard));
        stream::iter(closed)
            .for_each_concurrent(CONCURRENT_OPENINGS, |shard| async move {
                let prepared = prepare(&self.log, &self.signers, self.engine.reads(), shard).await;
                let opened = match prepared {
                    Ok(()) => self.open(shard).await,
                    Err(error) => Err(error),
                };
                if let Err(error) = opened {
                    tracing::error!(shard, error = %Causes(&error), "a shard cannot be served");
                    self.engine.refuse(shard, error.to_string());
                }
            })
            .await;
    }

    /// Opens shards that are added while the service runs, and retries those that could not be opened.
    pub(super) async fn follow(&self, mut stopped: watch::Receiver<bool>) {
        while !*stopped.borrow() {
            tokio::select! {
                () = tokio::time::sleep(LOOK_INTERVAL) => {}
                _ = stopped.changed() => return,
            }
            match available(&self.log).await {
                Ok(shards) => self.open_others(shards).await,
                Err(error) => tracing::warn!(error = %Causes(&error), "cannot look for new shards"),
            }
        }
    }

    /// Starts `work` for each open shard, and for each one that is opened until `stopped`. The task ends when all work
    /// has ended.
    pub(super) fn each<W: Future<Output = ()> + Send + 'static>(
        &self,
        mut stopped: watch::Receiver<bool>,
        work: impl Fn(Shard) -> W + Send + 'static,
    ) -> JoinHandle<()> {
        let mut opened = self.opened.subscribe();
        let [first, last] = self.engine.settings().background;
        tokio::spawn(async move {
            let (mut begun, mut tasks) = (BTreeSet::new(), JoinSet::new());
            while !*stopped.borrow() {
                let now = opened.borrow_and_update().clone();
                let ours = now.into_iter().filter(|shard| (first..=last).contains(shard));
                for shard in ours.filter(|shard| begun.insert(*shard)) {
                    tasks.spawn(work(shard));
                }
                tokio::select! {
                    changed = opened.changed() => if changed.is_err() { break },
                    changed = stopped.changed() => if changed.is_err() { break },
                }
            }
            while let Some(ended) = tasks.join_next().await {
                if let Err(error) = ended {
                    tracing::error!(error = %Causes(&error), "a background task failed");
                }
            }
        })
    }

    /// Returns the tasks that execute erasures.
    pub(super) fn take_erasers(&self) -> Vec<JoinHandle<()>> {
        std::mem::take(&mut *self.erasers.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
