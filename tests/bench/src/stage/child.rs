//! The server under test: the binary `daybook` beside this one, running `serve` in a process of its own. Its CPU time,
//! its memory and its time to become ready are measured separately.

use std::fs::File;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{ChildStdout, Command};
use tokio::time::{sleep, timeout};

use super::Stage;
use crate::error::Error;
use crate::load::client::{Call, Client, failed};

/// Timeout for the server to become ready. A long history without tree roots gets them first.
const START_TIMEOUT: Duration = Duration::from_mins(10);
/// Timeout for the server to end.
const STOP_TIMEOUT: Duration = Duration::from_secs(40);
/// Interval of readiness checks.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// First line that the server prints; the address follows.
const READY: &str = "Daybook is ready at http://";

/// A running `daybook serve`. It is killed when it is dropped.
pub(crate) struct Child {
    /// Address at which it listens.
    pub(crate) address: SocketAddr,
    /// Time from the start of the process to the first 200 of `GET /health/ready`.
    pub(crate) ready_after: Duration,
    process: tokio::process::Child,
    pid: i32,
    /// Standard output. It is kept open: the server ends if it cannot write there.
    _said: Lines<BufReader<ChildStdout>>,
    log: PathBuf,
}

impl Child {
    /// Starts the server on `database` and waits until it is ready. Transactions settle after `settle_after`.
    pub(crate) async fn start(
        stage: &Stage<'_>,
        database: &str,
        settle_after: Duration,
    ) -> Result<Self, Error> {
        let log = stage.server.folder().join(format!("{database}.log"));
        let mut command = command(stage, database, settle_after)?;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(File::create(&log)?).kill_on_drop(true);
        let begun = Instant::now();
        let mut process = command.spawn()?;
        let pid = process.id().and_then(|pid| i32::try_from(pid).ok());
        let (Some(pid), Some(stdout)) = (pid, process.stdout.take()) else {
            return Err(failed("the server has ended already"));
        };
        let mut said = BufReader::new(stdout).lines();
        let Ok(Ok(address)) = timeout(START_TIMEOUT, listening(&mut said)).await else {
            let log = std::fs::read_to_string(&log).unwrap_or_default();
            return Err(failed(format!("the server did not start: {}", log.trim())));
        };
        ready(address).await?;
        Ok(Self { address, ready_after: begun.elapsed(), process, pid, _said: said, log })
    }

    /// Returns the process id.
    pub(crate) fn pid(&self) -> i32 {
        self.pid
    }

    /// Stops the server, and waits for its end.
    pub(crate) async fn stop(mut self) -> Result<(), Error> {
        kill(Pid::from_raw(self.pid), Signal::SIGTERM).map_err(failed)?;
        let ended = timeout(STOP_TIMEOUT, self.process.wait()).await.map_err(failed)??;
        if ended.success() {
            return Ok(std::fs::remove_file(&self.log)?);
        }
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        Err(failed(format!("the server failed, {ended}: {}", log.trim())))
    }
}

fn command(stage: &Stage<'_>, database: &str, settle_after: Duration) -> Result<Command, Error> {
    let mut command = Command::new(service()?);
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"DAYBOOK_") {
            command.env_remove(name);
        }
    }
    // No balancer has to notice the end, so there is no drain time.
    command.args(["serve", "--listen", "127.0.0.1:0", "--drain", "0s"]);
    // One address sends the calls of all platforms, as fast as possible.
    for limit in ["rate-per-address", "rate-per-platform", "rate-per-user", "max-connections-per-address"] {
        command.arg(format!("--{limit}=0"));
    }
    command.args(["--settle-after", &format!("{}ms", settle_after.as_millis())]);
    command.args(["--database-url", &stage.server.url(database)]);
    command.arg("--master-key").arg(&stage.keys.master);
    command.arg("--signing-key").arg(&stage.keys.signing);
    Ok(command)
}

/// Returns the path of the service that was built together with this program.
fn service() -> Result<PathBuf, Error> {
    let service = std::env::current_exe()?.with_file_name("daybook");
    if service.is_file() {
        return Ok(service);
    }
    Err(Error::Usage(format!(
        "{} is not there: build package daybook-cli in the same profile",
        service.display()
    )))
}

/// Waits until the server prints its address.
async fn listening(said: &mut Lines<BufReader<ChildStdout>>) -> Result<SocketAddr, Error> {
    while let Some(line) = said.next_line().await? {
        if let Some(address) = line.strip_prefix(READY) {
            return address.parse().map_err(failed);
        }
    }
    Err(failed("the server did not print its address"))
}

/// Waits for a 200 of `GET /health/ready`.
async fn ready(address: SocketAddr) -> Result<(), Error> {
    let deadline = Instant::now() + START_TIMEOUT;
    let mut client = Client::connect(address).await?;
    loop {
        let answer = client.send(&Call::get("/health/ready".into(), "")).await?;
        if answer.status == 200 {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(failed(format!("the server is not ready: {}", answer.status)));
        }
        sleep(POLL_INTERVAL).await;
    }
}
