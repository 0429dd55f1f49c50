//! Stops of the service: a pause, or a regular end under load.

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

/// Maximum duration of a pause, in milliseconds.
const MAX_PAUSE_MS: u64 = 4_000;
/// Timeout for a service to end after SIGTERM.
const STOP_TIMEOUT: Duration = Duration::from_secs(30);

/// SIGSTOP, and SIGCONT later: the process holds its locks, timeouts expire, and then it continues.
pub(super) struct Pause;

#[async_trait]
impl Nemesis for Pause {
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()> {
        let host = random.pick(&arena.hosts);
        host.signal(Signal::SIGSTOP).await;
        sleep(Duration::from_millis(random.below_u64(MAX_PAUSE_MS))).await;
        host.signal(Signal::SIGCONT).await;
        Ok(())
    }
}

/// SIGTERM: the service must exit with 0 and in time.
pub(super) struct Terminate;

#[async_trait]
impl Nemesis for Terminate {
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()> {
        restart(arena, random.pick(&arena.hosts)).await
    }
}

/// Rolling restart as in a deployment: SIGTERM to one service behind the balancer, and the next one only when all are
/// ready.
pub(super) struct Roll;

#[async_trait]
impl Nemesis for Roll {
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()> {
        if arena.hosts.len() < 2 {
            return Err(failed("a rolling restart needs two services: --api 2"));
        }
        restart(arena, random.pick(&arena.hosts)).await?;
        // The balancer has seen the new process after this time.
        sleep(balancer::CHECK_INTERVAL * 2).await;
        Ok(())
    }
}

/// Stops a service, which must exit with 0 and in time, and starts it again.
async fn restart(arena: &Arena, host: &Host) -> Result<()> {
    match host.terminate(STOP_TIMEOUT).await {
        Some(status) if status.success() => {}
        other => arena.history.wrong(format!("after SIGTERM a service ended with {other:?}")),
    }
    host.kill().await;
    host.start().await.map(drop)
}
