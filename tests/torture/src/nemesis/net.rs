//! Harm to the way between the services and PostgreSQL, by the proxy that stands there.

use std::time::Duration;

use async_trait::async_trait;
use daybook_random::Random;
use tokio::time::{Instant, sleep};

use super::Nemesis;
use crate::arena::Arena;
use crate::error::{Result, failed};
use crate::proxy::{Proxy, Rule};

/// How long the way is harmed, at least and beyond that: longer than any limit that an answer has to keep.
const LASTS_MS: (u64, u64) = (500, 8_000);

/// How long one waits for a COMMIT whose answer can be dropped.
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// A rule that stands for a while.
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

/// The answer to one COMMIT is dropped, and its connection cut.
pub(super) struct CommitDrop;

#[async_trait]
impl Nemesis for CommitDrop {
    async fn strike(&self, arena: &Arena, _: &mut Random) -> Result<()> {
        let proxy = proxy(arena)?;
        let (before, deadline) = (proxy.lost(), Instant::now() + PATIENCE);
        proxy.set(Rule::LoseAnswer);
        while proxy.lost() == before && Instant::now() < deadline {
            sleep(LOOK_AGAIN).await;
        }
        proxy.set(Rule::Pass);
        Ok(())
    }
}

fn proxy(arena: &Arena) -> Result<&Proxy> {
    arena.proxy.as_ref().ok_or_else(|| failed("there is no proxy on the way to the database"))
}
