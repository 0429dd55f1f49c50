//! I/O errors of PostgreSQL's disk: one `fsync` fails with EIO, injected by `strace` into a process that flushes the
//! log or into the checkpointer. PostgreSQL does not retry; it ends and recovers.

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

/// Option of strace for the system calls that flush data.
const INJECT: &str = "inject=fsync,fdatasync:error=EIO:when=1";
/// Timeout for the process to end.
const EFFECT_TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A failed `fsync`.
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
            // Without a request the next checkpoint would begin after minutes only.
            let database = arena.cluster.connect().await?;
            let _ = database.batch_execute("checkpoint").await;
        }
        let deadline = Instant::now() + EFFECT_TIMEOUT;
        while kill(victim, None).is_ok() && Instant::now() < deadline {
            sleep(POLL_INTERVAL).await;
        }
        let _ = strace.start_kill();
        let _ = strace.wait().await;
        // A process that strace had stopped continues.
        let _ = kill(victim, Signal::SIGCONT);
        arena.cluster.resume().await
    }
}

/// Returns true if the title of a PostgreSQL process begins with `what`.
fn is(pid: Pid, what: &str) -> bool {
    let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    line.strip_prefix("postgres: ").is_some_and(|title| title.starts_with(what))
}
