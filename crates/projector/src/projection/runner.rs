//! The runner: reads pages of the log, folds them, and moves rows and cursor in one database transaction per page.
//!
//! Every process may run one per shard. The row of the cursor is the lock; a process that does not get it tries again
//! later. The runner reads first and locks then: if the cursor is not at the position it read from, another process was
//! active, and it discards everything that it kept. An event that it cannot decode stops it at the commit before, with
//! an error in the log.

use std::time::Duration;

use daybook_log::{Activity, Position, Shard};
use daybook_pg::{Causes, Transaction};
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, sleep};
use tracing::Instrument;

use super::Versions;
use crate::error::Error;
use crate::projection::tail::{self, Decoded};
use crate::projection::targets::ProjectionTargets;
use crate::store::version;
use crate::store::{Store, Trouble, cursor};

/// Initial and maximum time that an idle runner waits before it looks for commits of other processes. It doubles each
/// time.
const POLL_INTERVALS: [Duration; 2] = [Duration::from_millis(20), Duration::from_millis(500)];
/// Time that an idle runner waits while the shard is quiet.
const QUIET_INTERVAL: Duration = Duration::from_secs(1);
/// Initial and maximum backoff after a failure. It doubles each time.
const BACKOFF_INTERVALS: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(5)];
/// After a page with fewer events than this the runner lets more events gather: each page costs a commit of the
/// database, however few events it has.
const MIN_PAGE_EVENTS: usize = 1024;
/// Maximum time for events to gather. A reader that waits for the cursor ends it.
const GATHER_INTERVAL: Duration = Duration::from_millis(20);

/// Feeds the read models of one shard.
pub struct Runner {
    store: Store,
    shard: Shard,
    state: Mutex<Option<RunnerState>>,
}

/// State that the last page left; none after a failure.
struct RunnerState {
    position: Position,
    targets: ProjectionTargets,
}

/// Result of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A page was projected.
    Moved {
        /// Position of the cursor after the page.
        position: u64,
        /// Number of events in the page.
        events: usize,
    },
    /// There was nothing to do.
    Idle,
    /// Another process holds the cursor, or moved it in the meantime.
    Elsewhere,
}

impl Runner {
    /// Creates a runner for `shard`.
    #[must_use]
    pub fn new(store: &Store, shard: Shard) -> Self {
        Self { store: store.clone(), shard, state: Mutex::new(None) }
    }

    /// Creates the tables if they are missing, and feeds them until `stop` is true. Outages of the database do not end
    /// it.
    pub async fn run(self, stop: watch::Receiver<bool>) {
        // Runs beside the projection, because this process reads even while a page takes long or the projection is
        // stopped.
        let heartbeat = version::heartbeat(&self.store, self.shard, stop.clone());
        tokio::join!(self.feed(stop), heartbeat);
    }

    async fn feed(&self, mut stop: watch::Receiver<bool>) {
        let mut heads = self.store.log.watch(self.shard);
        let mut is_installed = false;
        let mut activity = Activity::of(&*self.store.log, self.shard);
        let [mut idle, mut back_off] = [POLL_INTERVALS[0], BACKOFF_INTERVALS[0]];
        while !*stop.borrow() {
            heads.mark_unchanged();
            let pause = match self.turn(&mut is_installed).await {
                Ok(Progress::Moved { events, .. }) => {
                    self.record_progress();
                    [idle, back_off] = [POLL_INTERVALS[0], BACKOFF_INTERVALS[0]];
                    if events >= MIN_PAGE_EVENTS {
                        continue;
                    }
                    Pause::Gather
                }
                Ok(Progress::Idle | Progress::Elsewhere) => {
                    self.record_progress();
                    back_off = BACKOFF_INTERVALS[0];
                    Pause::Idle(double(&mut idle, POLL_INTERVALS[1]))
                }
                Err(error) => {
                    let wait = double(&mut back_off, BACKOFF_INTERVALS[1]);
                    self.record_failure(&error);
                    tracing::error!(
                        shard = self.shard,
                        error = %Causes(&error),
                        ?wait,
                        "read models stand still"
                    );
                    Pause::BackOff(wait)
                }
            };
            tokio::select! {
                () = self.pause(pause, &mut heads, &mut activity) => {}
                stopped = stop.changed() => if stopped.is_err() { break },
            }
        }
    }

    fn record_progress(&self) {
        self.store.metrics.record_progress(self.shard);
        self.store.known(self.shard).stand(None);
    }

    fn record_failure(&self, error: &Error) {
        self.store.metrics.failed(self.shard, error);
        let trouble = Trouble { because: error.to_string(), is_outage: error.is_outage() };
        self.store.known(self.shard).stand(Some(trouble));
    }

    async fn turn(&self, is_installed: &mut bool) -> Result<Progress, Error> {
        if !*is_installed {
            Versions::new(self.store.clone()).install(self.shard).await?;
            *is_installed = true;
        }
        self.step().await
    }

    async fn pause(&self, pause: Pause, heads: &mut watch::Receiver<Position>, activity: &mut Activity) {
        let known = self.store.known(self.shard);
        match pause {
            Pause::BackOff(wait) => sleep(wait).await,
            Pause::Gather => tokio::select! {
                () = sleep(GATHER_INTERVAL) => {}
                () = known.wake.notified() => {}
            },
            Pause::Idle(wait) => tokio::select! {
                () = activity.pause(wait, QUIET_INTERVAL) => {}
                () = known.wake.notified() => {}
                Ok(()) = heads.changed() => {}
            },
        }
    }

    /// Projects one page, if there is one and no other process does.
    ///
    /// # Errors
    ///
    /// [`Error`]; then either nothing or the whole page was written.
    pub async fn step(&self) -> Result<Progress, Error> {
        let mut state = self.state.lock().await;
        // The memory is taken, so that a failure or a dropped future leaves no state that may be wrong.
        let RunnerState { position, mut targets } = match state.take() {
            Some(state) => state,
            None => RunnerState { position: self.begin().await?, targets: ProjectionTargets::default() },
        };
        let head = self.store.log.head(self.shard).await?;
        self.store.log.observe(self.shard, head.position);
        if head.position < position {
            return Err(Error::Ahead { cursor: position, head: head.position });
        }
        if head.position == position {
            *state = Some(RunnerState { position, targets });
            return Ok(Progress::Idle);
        }
        let began = Instant::now();
        let Decoded { events, end } = tail::read(&*self.store.log, self.shard, position, head).await?;
        let work = async |tx: &Transaction<'_>| {
            if cursor::take(tx, self.shard).await? != Some(position) {
                return Ok::<_, Error>(None);
            }
            // A separate round trip: the versions must be read after the lock was granted.
            let versions = version::all_in(tx, self.shard).await?;
            targets.follow(&versions)?;
            let pages = Box::pin(targets.page(&*self.store.log, tx, self.shard, position, &events)).await?;
            daybook_fault::point("projector.before_cursor");
            cursor::advance(tx, self.shard, end).await?;
            daybook_fault::point("projector.after_cursor");
            Ok(Some(pages))
        };
        let span = tracing::debug_span!(
            target: "daybook::trace",
            "page",
            from = position + 1,
            to = end.position,
            events = events.len()
        );
        let Some(pages) =
            self.store.feeding().of(self.shard).tx("projector.page", work).instrument(span).await?
        else {
            return Ok(Progress::Elsewhere);
        };
        targets.keep(pages);
        self.store.known(self.shard).choose(targets.tables());
        *state = Some(RunnerState { position: end.position, targets });
        self.store.known(self.shard).tell(end.position);
        self.store.metrics.moved(events.len(), began.elapsed());
        Ok(Progress::Moved { position: end.position, events: events.len() })
    }

    /// Returns the position of the cursor, and creates the cursor if there is none.
    async fn begin(&self) -> Result<Position, Error> {
        let position = self.store.position(self.shard).await?;
        if position == 0 {
            cursor::create(&self.store.feeding().of(self.shard).client().await?, self.shard).await?;
        }
        Ok(position)
    }
}

/// Reason to pause.
enum Pause {
    /// More events shall gather.
    Gather,
    /// There is nothing to do.
    Idle(Duration),
    /// A step failed.
    BackOff(Duration),
}

fn double(wait: &mut Duration, limit: Duration) -> Duration {
    let now = *wait;
    *wait = (now * 2).min(limit);
    now
}
