//! The disk fails PostgreSQL: one `fsync` is answered EIO, by way of `strace`, to the process that flushes the log or to the one
//! that writes checkpoints. PostgreSQL does not try again, it ends and recovers from what is there.

use std::process::Stdio;
use std::time::Duration;

use async_trait::async_trait;
use daybook_random::Random;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::process::Command;
use tokio::time::{Instant, sleep};

use super::Nemesis;
use crate::arena::Arena;
use crate::error::{Result, failed};

/// What brings data to the disk.
const INJECT: &str = "inject=fsync,fdatasync:error=EIO:when=1";
/// How long it may take until the server has ended by it.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// See the module.
pub(super) struct Fsync;

#[async_trait]
impl Nemesis for Fsync {
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()> {
        let pids = arena.cluster.pids();
        let backends: Vec<Pid> =
            pids.iter().copied().filter(|pid| is(*pid, "checkpointer") || is(*pid, "daybook")).collect();
        let victim = *random.pick(&backends);
        let mut strace = Command::new("strace");
        strace.args(["-qq", "-e", "trace=fsync,fdatasync", "-e", INJECT, "-p", &victim.to_string()]);
        strace.stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        let mut strace = strace.spawn().map_err(|error| failed(format!("strace: {error}")))?;
        if is(victim, "checkpointer") {
            // It would come in minutes.
            let database = arena.cluster.connect().await?;
            let _ = database.batch_execute("checkpoint").await;
        }
        let deadline = Instant::now() + PATIENCE;
        while kill(victim, None).is_ok() && Instant::now() < deadline {
            sleep(LOOK_AGAIN).await;
        }
        let _ = strace.start_kill();
        let _ = strace.wait().await;
        // Where strace was ended, what it stopped goes on.
        let _ = kill(victim, Signal::SIGCONT);
        arena.cluster.resume().await
    }
}

/// Whether a process of PostgreSQL says that it is this.
fn is(pid: Pid, what: &str) -> bool {
    let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    line.strip_prefix("postgres: ").is_some_and(|title| title.starts_with(what))
}
