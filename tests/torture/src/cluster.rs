//! The PostgreSQL under torture: a server of its own, on a disk, with the durability settings of production.
//!
//! As root it runs under an unprivileged account, as `daybook_pg` arranges it. Nobody restarts it but whoever harmed it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use daybook_pg::embedded::{self, Options, StopMode};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio_postgres::{Client, NoTls};

use crate::error::{Result, failed};

/// What differs from the embedded server's settings: a small server with a small write-ahead log.
const SETTINGS: [(&str, &str); 4] = [
    ("max_connections", "200"),
    ("shared_buffers", "128MB"),
    ("min_wal_size", "256MB"),
    ("max_wal_size", "1GB"),
];

/// How long the processes of a killed server may take to be gone.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// A server and its folder.
#[derive(Clone, Debug)]
pub struct Cluster {
    inner: embedded::Cluster,
    folder: PathBuf,
}

impl Cluster {
    /// Makes the cluster in `folder` if there is none, and starts its server; `settings` come on top of ours.
    pub async fn start(folder: &Path, settings: &[(&str, &str)]) -> Result<Self> {
        let settings = SETTINGS.iter().chain(settings);
        let settings = settings.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let options = Options { data_dir: folder.to_owned(), pg_bin: None, settings };
        let inner = embedded::Cluster::prepare(options).await?;
        inner.start().await?;
        Ok(Self { inner, folder: folder.canonicalize()? })
    }

    /// The folder with everything: the cluster is `postgres` in it, the log `postgres.log`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The unix socket that it listens on.
    pub fn socket(&self) -> PathBuf {
        self.inner.socket_dir().join(".s.PGSQL.5432")
    }

    /// How `daybook` reaches its database.
    pub fn url(&self) -> String {
        format!("host={} port=5432 user=daybook dbname=daybook", self.inner.socket_dir().display())
    }

    /// The folder of the server's programs.
    pub fn bin_dir(&self) -> &Path {
        self.inner.bin_dir()
    }

    /// The account that it runs under.
    pub fn account(&self) -> &embedded::Account {
        self.inner.account()
    }

    /// A command for `pg_ctl` on this cluster; the caller adds the verb.
    pub fn pg_ctl(&self) -> Command {
        self.inner.pg_ctl()
    }

    /// Its processes, the postmaster first; none if it does not run.
    pub fn pids(&self) -> Vec<Pid> {
        let Some(postmaster) = self.inner.pid() else { return vec![] };
        let mut pids = vec![Pid::from_raw(postmaster)];
        pids.extend(children(postmaster));
        pids
    }

    /// Sends a signal to all its processes, the postmaster first, so that it cannot react to what happens to the others.
    pub fn signal(&self, signal: Signal) -> usize {
        self.pids().into_iter().filter(|pid| kill(*pid, signal).is_ok()).count()
    }

    /// Kills all its processes at once and waits until they are gone; [`Cluster::resume`] starts it again.
    pub async fn kill(&self) -> Result<()> {
        let pids = self.pids();
        for pid in &pids {
            // One that ended meanwhile is as dead as the others.
            let _ = kill(*pid, Signal::SIGKILL);
        }
        let deadline = tokio::time::Instant::now() + PATIENCE;
        while pids.iter().any(|pid| is_alive(*pid)) {
            if tokio::time::Instant::now() > deadline {
                return Err(failed("a killed server does not end"));
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        Ok(())
    }

    /// Stops it in order: everything is in its files then.
    pub async fn stop(&self) -> Result<()> {
        Ok(self.inner.stop(StopMode::Fast).await?)
    }

    /// Stops it as a crash would; [`Cluster::resume`] starts it again.
    pub async fn stop_at_once(&self) -> Result<()> {
        Ok(self.inner.stop(StopMode::Immediate).await?)
    }

    /// Starts the server that was killed or stopped, and waits until it answers.
    pub async fn resume(&self) -> Result<()> {
        self.inner.start().await?;
        Ok(())
    }

    /// A connection of the harness's own, as the owner of everything.
    pub async fn connect(&self) -> Result<Client> {
        let (client, connection) = self.url().parse::<tokio_postgres::Config>()?.connect(NoTls).await?;
        tokio::spawn(connection);
        Ok(client)
    }
}

/// The living processes whose parent is `parent`.
fn children(parent: i32) -> Vec<Pid> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return vec![] };
    let pids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| stat(*pid).is_some_and(|(_, found)| found == parent)).map(Pid::from_raw).collect()
}

/// Whether the process still does something: one that is only waiting to be reaped does not.
fn is_alive(pid: Pid) -> bool {
    stat(pid.as_raw()).is_some_and(|(state, _)| state != "Z" && state != "X")
}

/// State and parent. Source: `proc_pid_stat(5)`; the name, in parentheses, may hold anything, so fields count from its end.
fn stat(pid: i32) -> Option<(String, i32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}
