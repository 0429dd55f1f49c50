//! A wait for the steps that a moved clock has made due: its caller finds them done.

use std::time::Duration;

use daybook_domain::process::Process;
use daybook_domain::{PlatformId, Timestamp};
use daybook_log::Shard;
use tokio::time::{Instant, sleep};

use crate::engine::Engine;

/// The time after which nobody waits any longer: a clock that is moved by years makes many statements due.
const LONGEST: Duration = Duration::from_secs(10);
/// The time in which something has to get on, a few rounds of the processes. What does not fails, and is tried again later.
const STILL: Duration = Duration::from_secs(1);
/// The same where only held back transactions are looked at: another cause may stand, and then nothing happens.
const HELD_BACK: Duration = Duration::from_millis(300);
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(20);

impl Engine {
    /// Waits until nothing is left to do for `platform` that is due at `now`, by its own clock, after what happened up to
    /// `position`. What fails, or waits for something else, is not waited for; nor is anything longer than ten seconds.
    ///
    /// # Errors
    ///
    /// The read models are away.
    pub async fn done_by(
        &self,
        shard: Shard,
        platform: PlatformId,
        position: u64,
        now: Timestamp,
    ) -> Result<(), daybook_projector::Error> {
        let (began, reads) = (Instant::now(), self.reads());
        // A row is there until what was done about it is projected with what comes next: none means that all is done.
        let mut seen = reads.store().caught_up(shard, position, LONGEST).await?;
        let mut moved = Instant::now();
        loop {
            let due = reads.lists().any_due(shard, Some(platform), now).await?;
            let patience =
                if due.iter().all(|process| *process == Process::Release) { HELD_BACK } else { STILL };
            if due.is_empty() || moved.elapsed() > patience || began.elapsed() > LONGEST {
                return Ok(());
            }
            sleep(PAUSE).await;
            let reached = reads.store().caught_up(shard, position, PAUSE).await?;
            if reached > seen {
                (seen, moved) = (reached, Instant::now());
            }
        }
    }
}
