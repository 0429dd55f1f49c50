//! Jumps of the clock of a running service: up to an hour behind or ahead of the real time, and back after a while.

use std::time::Duration;

use async_trait::async_trait;
use daybook_random::Random;
use tokio::time::sleep;

use super::Nemesis;
use crate::arena::Arena;
use crate::error::Result;
use crate::faketime;

/// Maximum error of the clock, in seconds.
pub const HOUR_S: u64 = 3_600;
/// Duration of the error, in milliseconds: minimum and random addition.
const LASTS_MS: (u64, u64) = (500, 3_000);

/// Two jumps: away from the real time, and back.
pub(super) struct Jump;

#[async_trait]
impl Nemesis for Jump {
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()> {
        let host = random.pick(&arena.hosts);
        let off = i64::try_from(random.below_u64(2 * HOUR_S + 1)).unwrap_or_default() - 3_600;
        // A service whose clock cannot be set yet is restarted first, so that the jump is from the real time.
        faketime::prepare(arena, host).await?;
        faketime::set(arena, host, off).await?;
        sleep(Duration::from_millis(LASTS_MS.0 + random.below_u64(LASTS_MS.1))).await;
        faketime::set(arena, host, 0).await
    }

    fn is_calm(&self) -> bool {
        false
    }
}
