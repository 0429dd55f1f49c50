//! Reads from replicas: standbys of the primary, which may be behind it.
//!
//! A replica answers only what the primary could have answered when the read began. The read and a check are made in
//! one snapshot: the replica must have the newest commit that this process knows of the primary, with the same root,
//! and every commit that an earlier read has shown. Otherwise the primary answers: after 100 ms if the replica is behind,
//! after 500 ms if it is silent, and after the timeout of a connection if none can be opened. The position alone would
//! not do: an old primary that was cut off may have other commits at the same positions.
//!
//! A replica is asked about the shards of its primary only. Where these have no replica, the primary answers.
//!
//! A replica that is behind or does not answer is left alone until a probe finds that it has caught up, so that only the
//! reads that are under way wait for it.

mod fault;
mod lease;
mod metrics;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use daybook_pg::{Pg, Placement};
use daybook_proof::Hash;
use fault::Fault;
pub use lease::Lease;
pub use metrics::ReplicaMetrics;
use tokio::time::{sleep, timeout};

use super::last_seen::LastSeenCommit;
use super::rows::{self, bigint};
use crate::{Error, Shard};

const REACHED: &str = include_str!("../sql/read_reached.sql");

/// Maximum time until a replica answers the check. A silent one must not hold up the caller.
const CHECK_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum time that a read waits for a replica to catch up.
const CATCH_UP_TIMEOUT: Duration = Duration::from_millis(100);
/// Interval at which a waiting read checks the replica again.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// Interval at which a replica that is away is probed.
const PROBE_INTERVAL: Duration = Duration::from_secs(1);

/// The replicas of the databases of a log.
#[derive(Debug)]
pub struct Replicas {
    all: Vec<Replica>,
    next: AtomicUsize,
    last_seen: Arc<LastSeenCommit>,
    /// Number of the newest commit of each shard that a read from a replica has shown.
    shown: Mutex<HashMap<Shard, u64>>,
    metrics: ReplicaMetrics,
}

/// One replica.
#[derive(Debug)]
struct Replica {
    pg: Pg,
    /// Placement of the primary.
    placement: Placement,
    /// Shards for which the primary answers instead.
    away: Mutex<HashSet<Shard>>,
}

/// Commits that a replica must have.
#[derive(Clone, Copy, Debug)]
struct RequiredCommits {
    shard: Shard,
    known: (u64, Hash),
    shown: u64,
}

impl Replicas {
    pub(super) fn new(
        replicas: Vec<(Placement, Pg)>,
        last_seen: Arc<LastSeenCommit>,
        metrics: ReplicaMetrics,
    ) -> Arc<Self> {
        let replicas = replicas.into_iter();
        let replicas = replicas.map(|(placement, pg)| Replica { pg, placement, away: Mutex::default() });
        Arc::new(Self {
            all: replicas.collect(),
            next: AtomicUsize::default(),
            last_seen,
            shown: Mutex::default(),
            metrics,
        })
    }

    /// Runs `work` on a replica that has everything this process knows, and for which `has_reached` returns true in the
    /// same snapshot. Returns `None` if the primary has to answer.
    ///
    /// `work` may run twice. Errors on a replica are not reported: the primary's answer counts.
    pub async fn read<T, E, R, W>(
        self: &Arc<Self>,
        shard: Shard,
        has_reached: impl Fn(Lease) -> R + Sync,
        work: impl Fn(Lease) -> W + Sync,
    ) -> Option<T>
    where
        E: std::error::Error,
        R: Future<Output = Result<bool, E>> + Send,
        W: Future<Output = Result<T, E>> + Send,
    {
        // Not counted: the server of the shard has no replica.
        self.of(shard).next()?;
        let Some((index, replica)) = self.choose(shard) else {
            self.metrics.all_away();
            return None;
        };
        match self.attempt(replica, shard, &has_reached, &work).await {
            Ok(found) => {
                self.metrics.replica_answers();
                Some(found)
            }
            Err(fault) => {
                self.metrics.primary_answers(&fault);
                if fault.lasts() {
                    self.leave(index, shard, &fault);
                }
                None
            }
        }
    }

    /// Returns true if no read has shown a commit that this process has not found at the primary yet. A replica may
    /// have commits that the primary has not acknowledged, and a fail-over may lose them: what is kept for later must
    /// not contain any.
    #[must_use]
    pub fn is_certain(&self, shard: Shard) -> bool {
        self.shown(shard) <= self.last_seen.commit_no(shard)
    }

    /// Returns the number of replicas, and the number of those that answer reads of every shard at present.
    #[must_use]
    pub fn count(&self) -> (usize, usize) {
        let serving = self.all.iter().filter(|replica| replica.away().is_empty());
        (self.all.len(), serving.count())
    }

    /// Returns the replicas of the server that has `shard`.
    fn of(&self, shard: Shard) -> impl Iterator<Item = (usize, &Replica)> {
        self.all.iter().enumerate().filter(move |(_, replica)| replica.placement.has(shard))
    }

    /// Returns the next replica that answers reads of `shard`.
    fn choose(&self, shard: Shard) -> Option<(usize, &Replica)> {
        let serving = || self.of(shard).filter(|(_, replica)| !replica.away().contains(&shard));
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        serving().nth(turn.checked_rem(serving().count())?)
    }

    /// Reads from `replica`; if it is behind, waits for it and reads once more.
    async fn attempt<T, E, R, W>(
        &self,
        replica: &Replica,
        shard: Shard,
        has_reached: &(impl Fn(Lease) -> R + Sync),
        work: &(impl Fn(Lease) -> W + Sync),
    ) -> Result<T, Fault>
    where
        E: std::error::Error,
        R: Future<Output = Result<bool, E>> + Send,
        W: Future<Output = Result<T, E>> + Send,
    {
        let required = self.required(shard).ok_or(Fault::NothingKnown)?;
        let first = replica.lend().await?;
        match self.read_at(first, required, has_reached, work).await {
            Err(Fault::Behind) => {}
            done => return done,
        }
        let lease = replica.lend().await?;
        self.wait(&lease, required, has_reached).await?;
        self.read_at(lease, required, has_reached, work).await
    }

    /// Runs the check and `work` in one snapshot and in one round trip.
    async fn read_at<T, E, R, W>(
        &self,
        lease: Lease,
        required: RequiredCommits,
        has_reached: &(impl Fn(Lease) -> R + Sync),
        work: &(impl Fn(Lease) -> W + Sync),
    ) -> Result<T, Fault>
    where
        E: std::error::Error,
        R: Future<Output = Result<bool, E>> + Send,
        W: Future<Output = Result<T, E>> + Send,
    {
        let check = async {
            let checked = timeout(CHECK_TIMEOUT, self.check(&lease, required, has_reached)).await;
            checked.unwrap_or_else(|late| Err(Fault::Unavailable(late.to_string())))
        };
        let work = async { work(lease.clone()).await.map_err(Fault::failed) };
        let done = futures::try_join!(lease.begin_snapshot(), check, work).map(|((), (), found)| found);
        lease.end_snapshot();
        done
    }

    /// Checks that `replica` has every commit that this process knows now, at most 100 ms later.
    async fn has_caught_up(&self, replica: &Replica, shard: Shard) -> Result<(), Fault> {
        let required = self.required(shard).ok_or(Fault::NothingKnown)?;
        self.wait(&replica.lend().await?, required, &has_all_rows).await
    }

    /// Waits until the server has what is required.
    async fn wait<E: std::error::Error, R: Future<Output = Result<bool, E>> + Send>(
        &self,
        lease: &Lease,
        required: RequiredCommits,
        has_reached: &(impl Fn(Lease) -> R + Sync),
    ) -> Result<(), Fault> {
        let reached = async {
            loop {
                match self.check(lease, required, has_reached).await {
                    Err(Fault::Behind) => sleep(POLL_INTERVAL).await,
                    done => return done,
                }
            }
        };
        timeout(CATCH_UP_TIMEOUT, reached).await.unwrap_or(Err(Fault::Behind))
    }

    /// Checks that the server has what is required.
    async fn check<E: std::error::Error, R: Future<Output = Result<bool, E>> + Send>(
        &self,
        lease: &Lease,
        required: RequiredCommits,
        has_reached: &(impl Fn(Lease) -> R + Sync),
    ) -> Result<(), Fault> {
        let commits = async { self.has_commits(lease, required).await.map_err(Fault::failed) };
        let rows = async { has_reached(lease.clone()).await.map_err(Fault::failed) };
        match futures::try_join!(commits, rows)? {
            (Some(true), true) => Ok(()),
            (Some(false), _) | (Some(true), false) => Err(Fault::Behind),
            (None, _) => Err(Fault::OtherLog),
        }
    }

    /// Returns true if the server has the required commits, false if it does not have them yet, and `None` if it has
    /// another commit instead.
    async fn has_commits(
        &self,
        lease: &Lease,
        RequiredCommits { shard, known: (commit_no, root), shown }: RequiredCommits,
    ) -> Result<Option<bool>, Error> {
        let statement = lease.prepare_cached(REACHED).await?;
        let row = lease.query_one(&statement, &[&shard, &bigint(commit_no)]).await?;
        let found: Option<&[u8]> = row.try_get("root")?;
        let newest = rows::number(&row, "newest")?;
        if newest < commit_no.max(shown) {
            return Ok(Some(false));
        }
        if found != Some(root.as_slice()) {
            return Ok(None);
        }
        let mut shown_commits = self.shown_commits();
        let shown = shown_commits.entry(shard).or_default();
        *shown = newest.max(*shown);
        Ok(Some(true))
    }

    fn required(&self, shard: Shard) -> Option<RequiredCommits> {
        let known = self.last_seen.newest(shard)?;
        Some(RequiredCommits { shard, known, shown: self.shown(shard) })
    }

    fn shown(&self, shard: Shard) -> u64 {
        self.shown_commits().get(&shard).copied().unwrap_or_default()
    }

    fn shown_commits(&self) -> MutexGuard<'_, HashMap<Shard, u64>> {
        // A panic in another thread cannot leave a number half written.
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the primary answer until a probe finds that the replica has caught up.
    fn leave(self: &Arc<Self>, index: usize, shard: Shard, fault: &Fault) {
        let Some(replica) = self.all.get(index) else { return };
        if !replica.away().insert(shard) {
            return;
        }
        let place = replica.pg.config().place();
        tracing::warn!(shard, replica = place, %fault, "the primary answers reads instead of a replica");
        tokio::spawn(probe(Arc::downgrade(self), index, shard));
    }
}

impl Replica {
    fn away(&self) -> MutexGuard<'_, HashSet<Shard>> {
        // A panic in another thread cannot leave a shard half inserted.
        self.away.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn lend(&self) -> Result<Lease, Fault> {
        self.pg.client().await.map(Lease::of).map_err(|error| Fault::Unavailable(error.to_string()))
    }
}

/// Requires nothing beside the commits.
pub(super) async fn has_all_rows(_: Lease) -> Result<bool, Error> {
    Ok(true)
}

/// Probes a replica until it has caught up, or all users of the replicas are gone.
async fn probe(replicas: Weak<Replicas>, index: usize, shard: Shard) {
    loop {
        sleep(PROBE_INTERVAL).await;
        let Some(replicas) = replicas.upgrade() else { return };
        let Some(replica) = replicas.all.get(index) else { return };
        match replicas.has_caught_up(replica, shard).await {
            Ok(()) => {
                replica.away().remove(&shard);
                tracing::info!(shard, replica = replica.pg.config().place(), "a replica answers reads again");
                return;
            }
            Err(fault) => tracing::debug!(shard, %fault, "a replica is still away"),
        }
    }
}
