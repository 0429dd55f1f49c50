//! The service ends at a named point, in a build with failpoints: `daybook_fault::point`.

use std::time::Duration;

use async_trait::async_trait;

use super::Nemesis;
use crate::arena::Arena;
use crate::error::Result;
use crate::random::Random;

/// The point is passed so often at most before the service ends there.
const PASSES: u64 = 60;
/// How long it may take to get there so often; else it is tried again.
const PATIENCE: Duration = Duration::from_secs(4);

/// Ends the service where `point` says, or up to `later_us` after it.
pub(super) struct At {
    /// The point's name.
    pub(super) point: &'static str,
    /// How many microseconds later at most.
    pub(super) later_us: u64,
}

#[async_trait]
impl Nemesis for At {
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()> {
        let host = random.pick(&arena.hosts);
        loop {
            let (times, later) = (1 + random.below(PASSES), random.below(self.later_us + 1));
            let point = format!("{}:{times}:{later}", self.point);
            host.kill().await;
            // It may get there before it is ready.
            let started = host.start_with(&[("DAYBOOK_FAILPOINT".to_owned(), point)], None).await;
            let is_gone = host.gone(PATIENCE).await.is_some();
            if is_gone || started.is_err() {
                return host.start().await.map(drop);
            }
        }
    }
}
