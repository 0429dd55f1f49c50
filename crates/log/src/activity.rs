//! Activity of a shard: a worker polls a quiet shard less often, so that many shards cost an idle database little.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::{Log, Position, Shard};

/// Time without a new event and without work after which a shard is quiet.
const QUIET_AFTER: Duration = Duration::from_secs(10);

/// Activity of a shard, as far as this process knows it.
#[derive(Debug)]
pub struct Activity {
    heads: watch::Receiver<Position>,
    active_at: Instant,
}

impl Activity {
    /// Creates the activity of `shard`, which is not quiet yet.
    #[must_use]
    pub fn of(log: &dyn Log, shard: Shard) -> Self {
        Self { heads: log.watch(shard), active_at: Instant::now() }
    }

    /// Records that the worker found work.
    pub fn note(&mut self) {
        self.active_at = Instant::now();
    }

    /// Waits for `active`; if the shard is quiet, for `quiet` or until the next event that this process notices.
    pub async fn pause(&mut self, active: Duration, quiet: Duration) {
        if self.is_quiet() {
            tokio::select! {
                () = sleep(quiet) => {}
                Ok(()) = self.heads.changed() => self.note(),
            }
        } else {
            sleep(active).await;
        }
    }

    fn is_quiet(&mut self) -> bool {
        if self.heads.has_changed().is_ok_and(|has_changed| has_changed) {
            self.heads.mark_unchanged();
            self.note();
        }
        self.active_at.elapsed() >= QUIET_AFTER
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryLog;

    const ACTIVE: Duration = Duration::from_millis(100);
    const QUIET: Duration = Duration::from_secs(1);

    /// Returns the duration of a pause.
    async fn pause(activity: &mut Activity) -> Duration {
        let began = Instant::now();
        activity.pause(ACTIVE, QUIET).await;
        began.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn quiet_shard_pauses_longer() {
        let log = MemoryLog::new();
        let mut activity = Activity::of(&log, 1);
        assert_eq!(pause(&mut activity).await, ACTIVE);
        sleep(QUIET_AFTER).await;
        assert_eq!(pause(&mut activity).await, QUIET);
        activity.note();
        assert_eq!(pause(&mut activity).await, ACTIVE);
    }

    #[tokio::test(start_paused = true)]
    async fn new_event_ends_quiet_pause() {
        let log = MemoryLog::new();
        let mut activity = Activity::of(&log, 1);
        sleep(QUIET_AFTER).await;
        let told = async {
            sleep(ACTIVE / 2).await;
            log.observe(2, 1);
            sleep(ACTIVE / 2).await;
            log.observe(1, 1);
        };
        let (took, ()) = tokio::join!(pause(&mut activity), told);
        assert_eq!(took, ACTIVE, "an event of another shard changes nothing");
        assert_eq!(pause(&mut activity).await, ACTIVE, "the shard is active again");
    }
}
