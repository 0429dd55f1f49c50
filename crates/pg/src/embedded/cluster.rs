//! One cluster and the server on it: made by `initdb`, started and stopped by `pg_ctl`, found again by its pid file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::kill;
use nix::unistd::Pid;
use tokio::time::Instant;

use super::account::Account;
use super::folder::{self, Folder, LOG, PORT, failed};
use super::programs::{self, Programs, run};
use super::{NAME, Options, binaries, initdb, settings};
use crate::{Config, Error};

/// How long the server may take to come up (crash recovery included) or to go down (its last checkpoint included).
const PATIENCE: Duration = Duration::from_mins(2);

/// How long another process may start or stop the server: it may have to wait for the server to go down, and then to come up.
const TURN: Duration = Duration::from_mins(5);

/// How long between two looks at a server that is coming up or going down.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// What the server says when processes of its predecessor are still on their way out.
const LEFTOVERS: [&str; 2] =
    ["pre-existing shared memory block", "lock file \"postmaster.pid\" already exists"];

/// How a start went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The server was not running.
    Fresh,
    /// The server was running already.
    Attached,
}

/// How a stop treats the connections that are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopMode {
    /// Rolls back and closes them, then writes a checkpoint.
    Fast,
    /// Lets go of everything, as in a crash; the next start recovers.
    Immediate,
}

/// The cluster of one data folder; knows how to start and stop its server, and does nothing unasked.
#[derive(Clone, Debug)]
pub struct Cluster {
    folder: Folder,
    programs: Programs,
    settings: Vec<u8>,
    /// How long another process may start or stop the server.
    patience: Duration,
}

impl Cluster {
    /// Finds programs, account and folder; starts nothing and makes no cluster yet.
    ///
    /// # Errors
    ///
    /// As [`super::Embedded::start`].
    pub async fn prepare(options: Options) -> Result<Self, Error> {
        let folder = Folder::open(&options.data_dir)?;
        let settings = settings::render(&options.settings, &folder.socket_dir())?;
        let bin_dir = binaries::find(options.pg_bin.as_deref(), folder.major()).await?;
        let account = Account::choose(&folder.pgdata())?;
        account.can_run(&bin_dir)?;
        folder.admit(&account)?;
        Ok(Self { folder, programs: Programs { bin_dir, account }, settings, patience: TURN })
    }

    /// Waits no longer than that for another process to start or stop the server, instead of five minutes.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// How to reach the database `daybook`.
    #[must_use]
    pub fn config(&self) -> Config {
        Config::from_socket(&self.folder.socket_dir(), PORT, NAME, NAME)
    }

    /// The folder of the server's programs.
    #[must_use]
    pub fn bin_dir(&self) -> &Path {
        &self.programs.bin_dir
    }

    /// The folder of the unix socket.
    #[must_use]
    pub fn socket_dir(&self) -> PathBuf {
        self.folder.socket_dir()
    }

    /// The account that the server runs under.
    #[must_use]
    pub fn account(&self) -> &Account {
        &self.programs.account
    }

    /// A command for `pg_ctl` on this cluster; the caller adds the verb.
    #[must_use]
    pub fn pg_ctl(&self) -> Command {
        let mut command = self.programs.command("pg_ctl");
        command.arg("--pgdata").arg(self.folder.pgdata());
        command
    }

    /// The process id of the server, as long as it runs.
    #[must_use]
    pub fn pid(&self) -> Option<i32> {
        let pid = self.recorded_pid()?;
        kill(Pid::from_raw(pid), None).ok()?;
        if cfg!(target_os = "linux") {
            // Tells a zombie, and a stranger that got the number since, from our server, which lives in its folder.
            let home = fs::read_link(format!("/proc/{pid}/cwd")).ok()?;
            return (home == self.folder.pgdata()).then_some(pid);
        }
        Some(pid)
    }

    /// Whether the server runs; it may be on its way up or down.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.pid().is_some()
    }

    /// Makes sure that the server runs and answers; makes the cluster first if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Embedded`] with the end of the server's log if it does not come up.
    pub async fn start(&self) -> Result<Start, Error> {
        let _lock = self.folder.lock(self.patience).await?;
        initdb::ensure(&self.folder, &self.programs).await?;
        let mut start = Start::Attached;
        let deadline = Instant::now() + PATIENCE;
        loop {
            if self.is_running() {
                match self.ensure_database().await {
                    Ok(()) => return Ok(start),
                    // On its way up or down: it will answer, or be gone.
                    Err(error) if error.is_transient() && Instant::now() < deadline => {}
                    Err(error) => return Err(error),
                }
            } else {
                start = Start::Fresh;
                self.launch(deadline).await?;
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// Stops the server, if it runs.
    ///
    /// # Errors
    ///
    /// [`Error::Embedded`] if it does not stop within two minutes.
    pub async fn stop(&self, mode: StopMode) -> Result<(), Error> {
        let _lock = self.folder.lock(self.patience).await?;
        if !self.is_running() {
            return Ok(());
        }
        let mut command = self.pg_ctl();
        command.args(["stop", "--wait", "--timeout", &PATIENCE.as_secs().to_string(), "--mode"]);
        command.arg(match mode {
            StopMode::Fast => "fast",
            StopMode::Immediate => "immediate",
        });
        // It may have died on its own meanwhile; then `pg_ctl` complains and we do not.
        run(command).await.or_else(|error| if self.is_running() { Err(error) } else { Ok(()) })
    }

    /// One `pg_ctl start`, which puts the server into a session of its own. Leftovers of a crashed predecessor are
    /// waited for: then it is not running when this returns, and the caller comes again.
    async fn launch(&self, deadline: Instant) -> Result<(), Error> {
        self.forget_the_dead()?;
        let settings = self.folder.settings();
        folder::write(&settings, &self.settings).map_err(|error| failed("write", &settings, &error))?;
        self.programs.account.own(&settings)?;
        let said = self.folder.log_len();
        let mut command = self.programs.command("pg_ctl");
        // What stands in its command line pg_ctl puts into that of a shell, between double quotes.
        command.env("PGDATA", self.folder.pgdata()).current_dir(self.folder.root());
        command.args(["start", "--log", LOG]);
        command.args(["--wait", "--timeout", &PATIENCE.as_secs().to_string()]);
        let Err(failure) = programs::try_run(command).await? else { return Ok(()) };
        let log = self.folder.log_since(said);
        let passing = LEFTOVERS.iter().any(|leftover| log.contains(leftover));
        if self.is_running() || (passing && Instant::now() < deadline) {
            return Ok(());
        }
        Err(Error::Embedded(format!("{failure}\n{log}")))
    }

    /// Removes what a server left that is gone although its number is not: PostgreSQL itself would take a zombie that
    /// nobody reaps, as happens in containers, for the living. Its other guard, the shared memory block, stays.
    fn forget_the_dead(&self) -> Result<(), Error> {
        if cfg!(not(target_os = "linux")) || self.is_running() {
            return Ok(());
        }
        for file in [self.pid_file(), self.folder.socket_lock()] {
            match fs::remove_file(&file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(failed("remove", &file, &error));
                }
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    async fn ensure_database(&self) -> Result<(), Error> {
        let (client, connection, _) = self.config().with_database("postgres").connect_to_any().await?;
        client.batch_execute("set statement_timeout = 0").await?;
        if client.query_opt("select from pg_database where datname = $1", &[&NAME]).await?.is_none() {
            client.batch_execute(&format!("create database {NAME}")).await?;
        }
        drop(client);
        // Waited for, so that no session is left behind on the database `postgres`, which others clone or drop.
        let _ = connection.await;
        Ok(())
    }

    fn pid_file(&self) -> PathBuf {
        self.folder.pgdata().join("postmaster.pid")
    }

    fn recorded_pid(&self) -> Option<i32> {
        // The folder's name is in it, too, and need not be text.
        let file = fs::read(self.pid_file()).ok()?;
        String::from_utf8_lossy(&file).lines().next()?.trim().parse().ok()
    }
}
