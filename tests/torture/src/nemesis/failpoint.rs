//! Aborts the service at a named failpoint (`daybook_fault::point`), in a build with failpoints.

use std::time::Duration;

use async_trait::async_trait;
use daybook_random::Random;

use super::Nemesis;
use crate::arena::Arena;
use crate::error::Result;
use crate::service::Host;

/// Maximum number of passes of the point until the service aborts.
const MAX_PASSES: u64 = 10;
/// Timeout for the service to abort; afterwards the fault is tried again.
const HIT_TIMEOUT: Duration = Duration::from_secs(4);

/// Aborts the service at `point`, or up to `later_us` microseconds after it. The next process is armed again, so that
/// faults at points follow each other quickly. Other faults restart the service without failpoints first.
pub(super) struct At {
    /// Name of the point.
    pub(super) point: &'static str,
    /// Maximum delay after the point, in microseconds.
    pub(super) later_us: u64,
}

#[async_trait]
impl Nemesis for At {
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()> {
        let host = random.pick(&arena.hosts);
        // Another service that was armed earlier may have aborted since then.
        for other in arena.hosts.iter().filter(|other| other.address != host.address) {
            other.start().await?;
        }
        if !host.is_special() {
            host.kill().await;
        }
        while self.arm(host, random).await && host.gone(HIT_TIMEOUT).await.is_none() {
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
    /// Starts the service so that it aborts at the point; does nothing if it runs. Returns false if it aborted before
    /// it was ready.
    async fn arm(&self, host: &Host, random: &mut Random) -> bool {
        let (times, later) = (1 + random.below_u64(MAX_PASSES), random.below_u64(self.later_us + 1));
        let point = format!("{}:{times}:{later}", self.point);
        host.start_with(&[("DAYBOOK_FAILPOINT".to_owned(), point)]).await.is_ok()
    }
}
