//! One cluster and its server: created by `initdb`, started and stopped by `pg_ctl`, found again by its pid file.

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

/// Timeout of a start (including crash recovery) and of a stop (including the last checkpoint).
const START_STOP_TIMEOUT: Duration = Duration::from_mins(2);

/// Maximum wait for another process that starts or stops the server. That process may wait for the server to stop, and
/// then to start.
const LOCK_TIMEOUT: Duration = Duration::from_mins(5);

/// Interval between two checks of a server that is starting or stopping.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Messages of the server while processes of its predecessor are still ending.
const PREDECESSOR_MESSAGES: [&str; 2] =
    ["pre-existing shared memory block", "lock file \"postmaster.pid\" already exists"];

/// Result of a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The server was not running.
    Fresh,
    /// The server was running already.
    Attached,
}

/// Treatment of open connections by a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopMode {
    /// Rolls back and closes them, then writes a checkpoint.
    Fast,
    /// Aborts everything, as a crash does. The next start recovers.
    Immediate,
}

/// Cluster of one data folder. It starts and stops its server on request only.
#[derive(Clone, Debug)]
pub struct Cluster {
    folder: Folder,
    programs: Programs,
    settings: Vec<u8>,
    /// Maximum wait for another process that starts or stops the server.
    patience: Duration,
}

impl Cluster {
    /// Finds programs, account and folder. Starts no server and creates no cluster.
    ///
    /// # Errors
    ///
    /// Same as [`super::Embedded::start`].
    pub async fn prepare(options: Options) -> Result<Self, Error> {
        let folder = Folder::open(&options.data_dir)?;
        let settings = settings::render(&options.settings, &folder.socket_dir())?;
        let bin_dir = binaries::find(options.pg_bin.as_deref(), folder.major()).await?;
        let account = Account::choose(&folder.pgdata())?;
        account.can_run(&bin_dir)?;
        folder.admit(&account)?;
        Ok(Self { folder, programs: Programs { bin_dir, account }, settings, patience: LOCK_TIMEOUT })
    }

    /// Sets the maximum wait for another process that starts or stops the server. The default is five minutes.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Returns the configuration for the database `daybook`.
    #[must_use]
    pub fn config(&self) -> Config {
        Config::from_socket(&self.folder.socket_dir(), PORT, NAME, NAME)
    }

    /// Returns the folder of the server's programs.
    #[must_use]
    pub fn bin_dir(&self) -> &Path {
        &self.programs.bin_dir
    }

    /// Returns the folder of the unix socket.
    #[must_use]
    pub fn socket_dir(&self) -> PathBuf {
        self.folder.socket_dir()
    }

    /// Returns the account that the server runs under.
    #[must_use]
    pub fn account(&self) -> &Account {
        &self.programs.account
    }

    /// Returns a command for `pg_ctl` on this cluster. The caller adds the verb.
    #[must_use]
    pub fn pg_ctl(&self) -> Command {
        let mut command = self.programs.command("pg_ctl");
        command.arg("--pgdata").arg(self.folder.pgdata());
        command
    }

    /// Returns the process id of the server while it runs.
    #[must_use]
    pub fn pid(&self) -> Option<i32> {
        let pid = self.recorded_pid()?;
        kill(Pid::from_raw(pid), None).ok()?;
        if cfg!(target_os = "linux") {
            // The server's working directory is its data folder. This distinguishes it from a zombie, and from another
            // process that got the same number.
            let home = fs::read_link(format!("/proc/{pid}/cwd")).ok()?;
            return (home == self.folder.pgdata()).then_some(pid);
        }
        Some(pid)
    }

    /// Returns true if the server runs. It may be starting or stopping.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.pid().is_some()
    }

    /// Ensures that the server runs and answers. Creates the cluster first if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Embedded`] with the end of the server's log if it does not start.
    pub async fn start(&self) -> Result<Start, Error> {
        let _lock = self.folder.lock(self.patience).await?;
        initdb::ensure(&self.folder, &self.programs).await?;
        let mut start = Start::Attached;
        let deadline = Instant::now() + START_STOP_TIMEOUT;
        loop {
            if self.is_running() {
                match self.ensure_database().await {
                    Ok(()) => return Ok(start),
                    // The server is starting or stopping: it will answer, or it will be gone.
                    Err(error) if error.is_transient() && Instant::now() < deadline => {}
                    Err(error) => return Err(error),
                }
            } else {
                start = Start::Fresh;
                self.launch(deadline).await?;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
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
        command.args(["stop", "--wait", "--timeout", &START_STOP_TIMEOUT.as_secs().to_string(), "--mode"]);
        command.arg(match mode {
            StopMode::Fast => "fast",
            StopMode::Immediate => "immediate",
        });
        // The server may have ended by itself meanwhile. In that case the error of `pg_ctl` is ignored.
        run(command).await.or_else(|error| if self.is_running() { Err(error) } else { Ok(()) })
    }

    /// Runs `pg_ctl start` once, which puts the server into a session of its own. If processes of a crashed predecessor
    /// are still ending, the server is not running when this returns, and the caller tries again.
    async fn launch(&self, deadline: Instant) -> Result<(), Error> {
        self.forget_the_dead()?;
        let settings = self.folder.settings();
        folder::write(&settings, &self.settings).map_err(|error| failed("write", &settings, &error))?;
        self.programs.account.own(&settings)?;
        let said = self.folder.log_len();
        let mut command = self.programs.command("pg_ctl");
        // `pg_ctl` copies its command line into that of a shell, between double quotes.
        command.env("PGDATA", self.folder.pgdata()).current_dir(self.folder.root());
        command.args(["start", "--log", LOG]);
        command.args(["--wait", "--timeout", &START_STOP_TIMEOUT.as_secs().to_string()]);
        let Err(failure) = programs::try_run(command).await? else { return Ok(()) };
        let log = self.folder.log_since(said);
        let passing = PREDECESSOR_MESSAGES.iter().any(|leftover| log.contains(leftover));
        if self.is_running() || (passing && Instant::now() < deadline) {
            return Ok(());
        }
        Err(Error::Embedded(format!("{failure}\n{log}")))
    }

    /// Removes the files of a server that is gone although its process number still exists. PostgreSQL itself would
    /// take a zombie that is not reaped, as happens in containers, for a running server. Its other protection, the
    /// shared memory block, stays.
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
        // Awaited, so that no session is left behind on the database `postgres`, which others clone or drop.
        let _ = connection.await;
        Ok(())
    }

    fn pid_file(&self) -> PathBuf {
        self.folder.pgdata().join("postmaster.pid")
    }

    fn recorded_pid(&self) -> Option<i32> {
        // The file has the folder's name as well, which need not be valid text.
        let file = fs::read(self.pid_file()).ok()?;
        String::from_utf8_lossy(&file).lines().next()?.trim().parse().ok()
    }
}
