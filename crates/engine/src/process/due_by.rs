//! Waits for the steps that became due when a clock was moved, so that the caller finds them done.

use std::time::Duration;

use daybook_domain::process::Process;
use daybook_domain::{PlatformId, Timestamp};
use daybook_log::Shard;
use tokio::time::{Instant, sleep};

use crate::engine::Engine;

/// Maximum wait, 10 s. A clock that is moved by years makes many statements due.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// Maximum time without progress: a few rounds of the processes. A to-do that fails is retried later.
const NO_PROGRESS_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum time without progress if only held-back transactions are left. Another cause may hold them, and then nothing
/// happens.
const QUEUED_NO_PROGRESS_TIMEOUT: Duration = Duration::from_millis(300);
/// Interval between two polls.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

impl Engine {
    /// Waits until `platform` has no to-dos that are due at `now` by its own clock, following events up to `position`.
    /// The wait ends early if the remaining to-dos fail or wait for something else, and after ten seconds at the
    /// latest.
    ///
    /// # Errors
    ///
    /// The read models are unavailable.
    pub async fn done_by(
        &self,
        shard: Shard,
        platform: PlatformId,
        position: u64,
        now: Timestamp,
    ) -> Result<(), daybook_projector::Error> {
        let (began, reads) = (Instant::now(), self.reads());
        // A to-do's row disappears only once its result is projected. No row means that everything is done.
        let mut seen = reads.store().caught_up(shard, position, MAX_WAIT).await?;
        let mut moved = Instant::now();
        loop {
            let due = reads.lists().any_due(shard, Some(platform), now).await?;
            let patience = if due.iter().all(|process| *process == Process::Release) {
                QUEUED_NO_PROGRESS_TIMEOUT
            } else {
                NO_PROGRESS_TIMEOUT
            };
            if due.is_empty() || moved.elapsed() > patience || began.elapsed() > MAX_WAIT {
                return Ok(());
            }
            sleep(POLL_INTERVAL).await;
            let reached = reads.store().caught_up(shard, position, POLL_INTERVAL).await?;
            if reached > seen {
                (seen, moved) = (reached, Instant::now());
            }
        }
    }
}
