//! The service is stopped: for a while, or by asking it to end while everybody asks it for something.

use std::time::Duration;

use async_trait::async_trait;
use daybook_random::Random;
use nix::sys::signal::Signal;
use tokio::time::sleep;

use super::Nemesis;
use crate::arena::Arena;
use crate::balancer;
use crate::error::{Result, failed};
use crate::service::Host;

/// How long a pause is, at most.
const PAUSE_MS: u64 = 4_000;
/// How long a service may take to end when it is asked to.
const GRACE: Duration = Duration::from_secs(30);

/// SIGSTOP, and SIGCONT later: locks are held, time runs out, and then it goes on as if nothing had been.
pub(super) struct Pause;

#[async_trait]
impl Nemesis for Pause {
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()> {
        let host = random.pick(&arena.hosts);
        host.signal(Signal::SIGSTOP).await;
        sleep(Duration::from_millis(random.below_u64(PAUSE_MS))).await;
        host.signal(Signal::SIGCONT).await;
        Ok(())
    }
}

/// SIGTERM: it ends by itself, in time and well.
pub(super) struct Terminate;

#[async_trait]
impl Nemesis for Terminate {
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()> {
        restart(arena, random.pick(&arena.hosts)).await
    }
}

/// SIGTERM as in a release: callers go to whoever is ready, and the next one is asked to end when all are.
pub(super) struct Roll;

#[async_trait]
impl Nemesis for Roll {
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()> {
        if arena.hosts.len() < 2 {
            return Err(failed("whoever restarts one service after the other needs two: --api 2"));
        }
        restart(arena, random.pick(&arena.hosts)).await?;
        // Until the balancer has seen it.
        sleep(balancer::EVERY * 2).await;
        Ok(())
    }
}

/// Asks one to end, which it has to do well and in time, and starts it again.
async fn restart(arena: &Arena, host: &Host) -> Result<()> {
    match host.terminate(GRACE).await {
        Some(status) if status.success() => {}
        other => arena.history.wrong(format!("asked to end, a service answered {other:?}")),
    }
    host.kill().await;
    host.start().await.map(drop)
}
