//! `kill -9` of a service: at a random time, or a few milliseconds after a request was sent.

use std::time::Duration;

use async_trait::async_trait;
use daybook_random::Random;
use tokio::time::{sleep, timeout};

use super::Nemesis;
use crate::arena::Arena;
use crate::error::Result;

/// Maximum time from a request to an aimed kill, in microseconds.
const AIM_WINDOW_US: u64 = 6_000;

/// Maximum wait for a request to be sent.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// Kill at a random time.
pub(super) struct AtRandom;

#[async_trait]
impl Nemesis for AtRandom {
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()> {
        let host = random.pick(&arena.hosts);
        host.kill().await;
        host.start().await.map(drop)
    }
}

/// Kill 0 to 6 ms after a request was sent.
pub(super) struct Aimed;

#[async_trait]
impl Nemesis for Aimed {
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()> {
        let host = random.pick(&arena.hosts);
        let after = Duration::from_micros(random.below_u64(AIM_WINDOW_US));
        // Without load the kill comes after the timeout.
        let _ = timeout(KILL_TIMEOUT, arena.history.sent.notified()).await;
        sleep(after).await;
        host.kill().await;
        host.start().await.map(drop)
    }
}
