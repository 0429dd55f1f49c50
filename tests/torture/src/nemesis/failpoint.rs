//! The service ends at a named point, in a build with failpoints: `daybook_fault::point`.

use std::time::Duration;

use async_trait::async_trait;
use daybook_random::Random;

use super::Nemesis;
use crate::arena::Arena;
use crate::error::Result;
use crate::service::Host;

/// The point is passed so often at most before the service ends there.
const PASSES: u64 = 10;
/// How long it may take to get there so often; else it is tried again.
const PATIENCE: Duration = Duration::from_secs(4);

/// Ends the service where `point` says, or up to `later_us` after it; the next process is armed again, so that strikes at
/// points follow each other quickly. Whoever strikes otherwise calms the service first.
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
        // One that was armed before may have ended since.
        for other in arena.hosts.iter().filter(|other| other.address != host.address) {
            other.start().await?;
        }
        if !host.is_special() {
            host.kill().await;
        }
        while self.arm(host, random).await && host.gone(PATIENCE).await.is_none() {
            host.kill().await;
        }
        self.arm(host, random).await;
        Ok(())
    }

    fn is_calm(&self) -> bool {
        false
    }
}

impl At {
    /// Starts the service so that it ends at the point; does nothing if it runs. False if it got there before it was ready.
    async fn arm(&self, host: &Host, random: &mut Random) -> bool {
        let (times, later) = (1 + random.below_u64(PASSES), random.below_u64(self.later_us + 1));
        let point = format!("{}:{times}:{later}", self.point);
        host.start_with(&[("DAYBOOK_FAILPOINT".to_owned(), point)]).await.is_ok()
    }
}
