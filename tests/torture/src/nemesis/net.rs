//! Network faults between the services and PostgreSQL, made by the proxy between them.

use std::time::Duration;

use async_trait::async_trait;
use daybook_random::Random;
use tokio::time::{Instant, sleep};

use super::Nemesis;
use crate::arena::Arena;
use crate::error::{Result, failed};
use crate::proxy::{Proxy, Rule};

/// Duration of a fault, in milliseconds: minimum and random addition. The maximum is longer than every timeout of an
/// answer.
const LASTS_MS: (u64, u64) = (500, 8_000);

/// Timeout for a COMMIT whose answer can be dropped.
const EFFECT_TIMEOUT: Duration = Duration::from_secs(5);
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// A rule of the proxy that is set for a while.
pub(super) struct Net(pub(super) Rule);

#[async_trait]
impl Nemesis for Net {
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()> {
        let proxy = proxy(arena)?;
        proxy.set(self.0);
        sleep(Duration::from_millis(LASTS_MS.0 + random.below_u64(LASTS_MS.1))).await;
        proxy.set(Rule::Pass);
        Ok(())
    }
}

/// The answer to one COMMIT is dropped, and its connection is cut.
pub(super) struct CommitDrop;

#[async_trait]
impl Nemesis for CommitDrop {
    async fn strike(&self, arena: &Arena, _: &mut Random) -> Result<()> {
        let proxy = proxy(arena)?;
        let (before, deadline) = (proxy.lost(), Instant::now() + EFFECT_TIMEOUT);
        proxy.set(Rule::LoseAnswer);
        while proxy.lost() == before && Instant::now() < deadline {
            sleep(POLL_INTERVAL).await;
        }
        proxy.set(Rule::Pass);
        Ok(())
    }
}

fn proxy(arena: &Arena) -> Result<&Proxy> {
    arena.proxy.as_ref().ok_or_else(|| failed("there is no proxy on the way to the database"))
}
