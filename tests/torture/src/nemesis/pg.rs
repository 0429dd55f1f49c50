//! Faults of PostgreSQL: all processes killed, an immediate stop, or one child process killed.

use async_trait::async_trait;
use daybook_random::Random;
use nix::sys::signal::{Signal, kill};

use super::Nemesis;
use crate::arena::Arena;
use crate::error::Result;

/// `kill -9` of the postmaster and all its children.
pub(super) struct Kill;

#[async_trait]
impl Nemesis for Kill {
    async fn strike(&self, arena: &Arena, _: &mut Random) -> Result<()> {
        arena.cluster.kill().await?;
        arena.cluster.resume().await
    }
}

/// `pg_ctl stop --mode immediate`, and start.
pub(super) struct Immediate;

#[async_trait]
impl Nemesis for Immediate {
    async fn strike(&self, arena: &Arena, _: &mut Random) -> Result<()> {
        arena.cluster.stop_at_once().await?;
        arena.cluster.resume().await
    }
}

/// `kill -9` of one child of the postmaster: PostgreSQL then ends all others and recovers.
pub(super) struct Backend;

#[async_trait]
impl Nemesis for Backend {
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()> {
        let pids = arena.cluster.pids();
        if let Some(children) = pids.get(1..).filter(|children| !children.is_empty()) {
            // The process may have ended meanwhile.
            let _ = kill(*random.pick(children), Signal::SIGKILL);
        }
        arena.cluster.resume().await
    }
}
