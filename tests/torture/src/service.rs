//! The service under torture: `daybook serve` in a process of its own, always on the same port, with a log file.

use std::fs::{File, OpenOptions};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::client::Client;
use crate::error::{Result, failed};

/// Timeout for the service to become ready.
const READY_TIMEOUT: Duration = Duration::from_mins(3);
const POLL_INTERVAL: Duration = Duration::from_millis(3);

/// First line that the service prints; the address follows.
const READY: &str = "Daybook is ready at http://";

/// Options of every start.
#[derive(Clone, Debug)]
pub struct Options {
    /// Path of the binary `daybook`.
    pub binary: PathBuf,
    /// Database URL; it may lead through a proxy.
    pub database_url: String,
    /// Folder with `master.key`, `signing.key`, the service's log and process id, and its anchor.
    pub folder: PathBuf,
    /// Time after which a transaction settles.
    pub settle_after: Duration,
    /// Environment variables, such as those that arm failpoints.
    pub env: Vec<(String, String)>,
    /// Further arguments of `serve`.
    pub args: Vec<String>,
}

/// A host of the service: the port stays the same, processes come and go.
#[derive(Debug)]
pub struct Host {
    /// Address at which the service listens.
    pub address: SocketAddr,
    name: String,
    options: Options,
    process: Mutex<Option<Process>>,
    ready_ms: std::sync::Mutex<Vec<u64>>,
    /// Additional variables of the last start.
    special: std::sync::Mutex<Vec<(String, String)>>,
}

/// One process of the service.
#[derive(Debug)]
struct Process {
    child: Child,
    pid: Pid,
    /// Standard output. It is kept open: the service ends if it cannot write there.
    said: Lines<BufReader<ChildStdout>>,
}

impl Host {
    /// Creates a host with a free port. No process runs on it yet.
    pub fn new(name: &str, options: Options) -> Result<Self> {
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        Ok(Self {
            address,
            name: name.to_owned(),
            options,
            process: Mutex::new(None),
            ready_ms: std::sync::Mutex::default(),
            special: std::sync::Mutex::default(),
        })
    }

    /// Creates a host for another binary on the same database, with a port of its own.
    pub fn with(&self, binary: &Path) -> Result<Self> {
        Self::new(
            &format!("{}-next", self.name),
            Options { binary: binary.to_owned(), ..self.options.clone() },
        )
    }

    /// Creates a host for the same binary and database that answers queries from the standbys at `urls`, and returns
    /// it with the address of its metrics.
    pub fn reading_from(&self, name: &str, urls: &[String]) -> Result<(Self, SocketAddr)> {
        let metrics = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let mut options = self.options.clone();
        options.args.extend(["--metrics-listen".to_owned(), metrics.to_string()]);
        options.args.extend(urls.iter().flat_map(|url| ["--read-url".to_owned(), url.clone()]));
        Ok((Self::new(name, options)?, metrics))
    }

    /// Starts the service and waits until it is ready. Returns the time that this took. Does nothing if it runs.
    pub async fn start(&self) -> Result<Duration> {
        self.start_with(&[]).await
    }

    /// Starts the service with further environment variables, as [`Host::start`].
    pub async fn start_with(&self, env: &[(String, String)]) -> Result<Duration> {
        let mut slot = self.process.lock().await;
        if slot.as_mut().is_some_and(|process| matches!(process.child.try_wait(), Ok(None))) {
            return Ok(Duration::ZERO);
        }
        if let Ok(mut special) = self.special.lock() {
            *special = env.to_vec();
        }
        let begun = Instant::now();
        let mut process = self.spawn(env)?;
        let ready = timeout(READY_TIMEOUT, ready(self.address, &mut process)).await;
        if !matches!(ready, Ok(Ok(()))) {
            let log = std::fs::read_to_string(self.log()).unwrap_or_default();
            let end: Vec<&str> = log.lines().rev().take(5).collect();
            return Err(failed(format!("{} is not ready: {ready:?}; end of its log: {end:?}", self.name)));
        }
        *slot = Some(process);
        let took = begun.elapsed();
        if let Ok(mut ready) = self.ready_ms.lock() {
            ready.push(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
        }
        Ok(took)
    }

    /// Returns true if the last start had additional variables.
    pub fn is_special(&self) -> bool {
        !self.runs_with(&[])
    }

    /// Returns true if the last start had exactly these additional variables.
    pub fn runs_with(&self, env: &[(String, String)]) -> bool {
        self.special.lock().is_ok_and(|special| *special == env)
    }

    /// Restarts the service without additional variables if it has any, and starts it if it does not run.
    pub async fn calm(&self) -> Result<()> {
        if self.is_special() {
            self.kill().await;
        }
        self.start().await.map(drop)
    }

    /// Kills the service, if it runs.
    pub async fn kill(&self) {
        self.signal(Signal::SIGKILL).await;
        self.gone(READY_TIMEOUT).await;
    }

    /// Sends SIGTERM and waits for the end of the process. Returns none if it did not end within `patience`.
    pub async fn terminate(&self, patience: Duration) -> Option<ExitStatus> {
        self.signal(Signal::SIGTERM).await;
        self.gone(patience).await
    }

    /// Sends a signal. Returns false if the service does not run.
    pub async fn signal(&self, signal: Signal) -> bool {
        let slot = self.process.lock().await;
        slot.as_ref().is_some_and(|process| kill(process.pid, signal).is_ok())
    }

    /// Waits for the end of the process. Returns none if it did not end within `patience`.
    pub async fn gone(&self, patience: Duration) -> Option<ExitStatus> {
        let mut slot = self.process.lock().await;
        let process = slot.as_mut()?;
        let status = timeout(patience, process.child.wait()).await.ok()?.ok()?;
        *slot = None;
        let _ = std::fs::remove_file(self.pid_file());
        Some(status)
    }

    /// Returns true if the process that was started has ended by itself.
    pub async fn has_ended(&self) -> bool {
        self.process
            .lock()
            .await
            .as_mut()
            .is_some_and(|process| matches!(process.child.try_wait(), Ok(Some(_))))
    }

    /// Returns the time that each start took, in milliseconds.
    pub fn ready_ms(&self) -> Vec<u64> {
        self.ready_ms.lock().map(|ready| ready.clone()).unwrap_or_default()
    }

    /// Returns the log file of all processes of this host.
    pub fn log(&self) -> PathBuf {
        self.options.folder.join(format!("{}.log", self.name))
    }

    /// Returns the file with the id of the running process, for the watchdog.
    fn pid_file(&self) -> PathBuf {
        self.options.folder.join(format!("{}.pid", self.name))
    }

    fn spawn(&self, env: &[(String, String)]) -> Result<Process> {
        let Options { folder, database_url, settle_after, .. } = &self.options;
        let mut command = command(&self.options.binary);
        command.args(["serve", "--listen", &self.address.to_string()]);
        command.args(["--settle-after", &format!("{}ms", settle_after.as_millis())]);
        command.args(["--database-url", database_url]);
        command.arg("--master-key").arg(folder.join("master.key"));
        command.arg("--signing-key").arg(folder.join("signing.key"));
        command.args(&self.options.args);
        command.envs(self.options.env.iter().chain(env).map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(append(&self.log())?);
        let mut child = command.kill_on_drop(true).spawn()?;
        let pid = child.id().and_then(|pid| i32::try_from(pid).ok()).map(Pid::from_raw);
        let (Some(pid), Some(stdout)) = (pid, child.stdout.take()) else {
            return Err(failed("the service has ended already"));
        };
        std::fs::write(self.pid_file(), pid.to_string())?;
        Ok(Process { child, pid, said: BufReader::new(stdout).lines() })
    }
}

/// Returns a command for `binary` without any `DAYBOOK_` variable of the harness's environment.
pub fn command(binary: &Path) -> Command {
    let mut command = Command::new(binary);
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"DAYBOOK_") {
            command.env_remove(name);
        }
    }
    command
}

fn append(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

/// Waits until the service prints its address, and then until `GET /health/ready` returns 200.
async fn ready(address: SocketAddr, process: &mut Process) -> Result<()> {
    while let Some(line) = process.said.next_line().await? {
        if line.starts_with(READY) {
            break;
        }
    }
    loop {
        if let Some(status) = process.child.try_wait()? {
            return Err(failed(format!("the service ended with {status}")));
        }
        let mut client = Client::new(address, READY_TIMEOUT);
        if client.get("/health/ready").await.is_ok_and(|answer| answer.status == 200) {
            return Ok(());
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}
