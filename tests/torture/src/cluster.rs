//! The PostgreSQL under torture: a server of its own on a disk, with the durability settings of production.
//!
//! If the harness runs as root, the server runs under an unprivileged account, as `daybook_pg` arranges it. Only the
//! code that stopped or killed the server starts it again.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use daybook_pg::embedded::{self, Options, StopMode};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio_postgres::{Client, NoTls};

use crate::error::{Result, failed};

/// Settings that differ from those of the embedded server: a small server with a small write-ahead log.
const SETTINGS: [(&str, &str); 4] = [
    ("max_connections", "200"),
    ("shared_buffers", "128MB"),
    ("min_wal_size", "256MB"),
    ("max_wal_size", "1GB"),
];

/// Timeout for the processes of a killed server to end.
const EXIT_TIMEOUT: Duration = Duration::from_secs(20);
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Unit of processor time in Linux's interfaces: hundredths of a second on every architecture.
const TICK_MS: u64 = 10;

/// A server and its folder.
#[derive(Clone, Debug)]
pub struct Cluster {
    inner: embedded::Cluster,
    folder: PathBuf,
}

impl Cluster {
    /// Creates the cluster in `folder` if there is none, and starts its server. `settings` are added to the settings of
    /// the harness.
    pub async fn start(folder: &Path, settings: &[(&str, &str)]) -> Result<Self> {
        let settings = SETTINGS.iter().chain(settings);
        let settings = settings.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let options = Options { data_dir: folder.to_owned(), pg_bin: None, settings };
        let inner = embedded::Cluster::prepare(options).await?;
        inner.start().await?;
        Ok(Self { inner, folder: folder.canonicalize()? })
    }

    /// Returns the folder with all files: the cluster is in `postgres`, the server's log in `postgres.log`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of the server's Unix socket.
    pub fn socket(&self) -> PathBuf {
        self.inner.socket_dir().join(".s.PGSQL.5432")
    }

    /// Returns the database URL for `daybook`.
    pub fn url(&self) -> String {
        format!("host={} port=5432 user=daybook dbname=daybook", self.inner.socket_dir().display())
    }

    /// Returns the folder of the server's programs.
    pub fn bin_dir(&self) -> &Path {
        self.inner.bin_dir()
    }

    /// Returns the operating system account of the server.
    pub fn account(&self) -> &embedded::Account {
        self.inner.account()
    }

    /// Returns a command for `pg_ctl` on this cluster; the caller adds the verb.
    pub fn pg_ctl(&self) -> Command {
        self.inner.pg_ctl()
    }

    /// Returns the processes of the server, the postmaster first; empty if it does not run.
    pub fn pids(&self) -> Vec<Pid> {
        let Some(postmaster) = self.inner.pid() else { return vec![] };
        let mut pids = vec![Pid::from_raw(postmaster)];
        pids.extend(children(postmaster));
        pids
    }

    /// Returns the processor time that the server has used, including that of its processes which have ended.
    pub fn processor_time(&self) -> Duration {
        let Some(postmaster) = self.inner.pid() else { return Duration::ZERO };
        let ended = stat(postmaster).map_or(0, |stat| stat.ended_ticks);
        let living: u64 =
            self.pids().iter().filter_map(|pid| stat(pid.as_raw())).map(|stat| stat.ticks).sum();
        Duration::from_millis((living + ended) * TICK_MS)
    }

    /// Sends a signal to all processes, the postmaster first, so that the postmaster cannot react to the end of the
    /// others. Returns the number of processes that got it.
    pub fn signal(&self, signal: Signal) -> usize {
        self.pids().into_iter().filter(|pid| kill(*pid, signal).is_ok()).count()
    }

    /// Kills all processes at once and waits until they are gone. [`Cluster::resume`] starts the server again.
    pub async fn kill(&self) -> Result<()> {
        let pids = self.pids();
        for pid in &pids {
            // A process that ended meanwhile needs no signal.
            let _ = kill(*pid, Signal::SIGKILL);
        }
        let deadline = tokio::time::Instant::now() + EXIT_TIMEOUT;
        while pids.iter().any(|pid| is_alive(*pid)) {
            if tokio::time::Instant::now() > deadline {
                return Err(failed("a killed server does not end"));
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        Ok(())
    }

    /// Stops the server in order, with a shutdown checkpoint.
    pub async fn stop(&self) -> Result<()> {
        Ok(self.inner.stop(StopMode::Fast).await?)
    }

    /// Stops the server at once, without a shutdown checkpoint, as in a crash. [`Cluster::resume`] starts it again.
    pub async fn stop_at_once(&self) -> Result<()> {
        Ok(self.inner.stop(StopMode::Immediate).await?)
    }

    /// Starts the server that was killed or stopped, and waits until it answers.
    pub async fn resume(&self) -> Result<()> {
        self.inner.start().await?;
        Ok(())
    }

    /// Opens a connection for the harness, as owner of all objects.
    pub async fn connect(&self) -> Result<Client> {
        connect(&self.url()).await
    }
}

/// Opens a connection without TLS to the database at `url`.
pub async fn connect(url: &str) -> Result<Client> {
    let (client, connection) = url.parse::<tokio_postgres::Config>()?.connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Returns the processes whose parent is `parent`.
fn children(parent: i32) -> Vec<Pid> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return vec![] };
    let pids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| stat(*pid).is_some_and(|stat| stat.parent == parent)).map(Pid::from_raw).collect()
}

/// Returns true if the process is neither a zombie nor dead.
fn is_alive(pid: Pid) -> bool {
    stat(pid.as_raw()).is_some_and(|stat| stat.state != "Z" && stat.state != "X")
}

/// State of a process, as the kernel reports it.
struct Stat {
    state: String,
    parent: i32,
    /// Processor time of the process.
    ticks: u64,
    /// Processor time of its children that have ended.
    ended_ticks: u64,
}

/// Reads the state of a process. Source: `proc_pid_stat(5)`. The name in parentheses may contain anything, so fields are
/// counted from its end.
fn stat(pid: i32) -> Option<Stat> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field)?.parse::<u64>().ok();
    Some(Stat {
        state: (*fields.first()?).to_owned(),
        parent: fields.get(1)?.parse().ok()?,
        ticks: ticks(11)? + ticks(12)?,
        ended_ticks: ticks(13)? + ticks(14)?,
    })
}
