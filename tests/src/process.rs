//! The real binary `daybook`, in its own process group that a test may kill.
#![allow(clippy::expect_used, reason = "a test that cannot have its process has failed")]

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::database::pg_bin;

/// Longest time to wait for an output of the binary.
const OUTPUT_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest time that a command takes on a busy machine. It is killed afterwards.
const RUN_TIMEOUT: Duration = Duration::from_mins(4);

/// Text that `dev` and `serve` print before the address when they listen.
const READY: &str = "Daybook is ready at ";

/// Returns the path of the binary, which Cargo builds before the tests.
///
/// # Panics
///
/// Panics if the binary does not exist, because the tests were started without Cargo.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        // The test is target/<profile>/deps/it-<hash>.
        let test = std::env::current_exe().expect("the test has a path");
        let binary = test.ancestors().nth(2).expect("the folder of the profile").join("daybook-of-tests");
        assert!(binary.exists(), "Cargo did not build {}", binary.display());
        binary
    })
}

/// Runs the binary until it ends.
///
/// # Panics
///
/// Panics if it cannot be started.
pub fn run<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Output {
    output(&mut command(args))
}

/// Runs the binary until it ends. `on` are the options that name its database; see
/// [`Database::options`](crate::database::Database::options).
///
/// # Panics
///
/// Panics if it cannot be started.
pub fn run_on(on: &[String], args: &[&str]) -> Output {
    run(args.iter().copied().chain(on.iter().map(String::as_str)))
}

/// Runs the binary with these environment variables until it ends.
///
/// # Panics
///
/// Panics if it cannot be started.
pub fn run_with<S: AsRef<OsStr>>(variables: &[(&str, &str)], args: impl IntoIterator<Item = S>) -> Output {
    output(command(args).envs(variables.iter().copied()))
}

/// Runs a command line in a shell on a terminal, which `script` of util-linux provides, until it ends. Returns everything that
/// the terminal shows.
///
/// # Panics
///
/// Panics if it cannot be started, or the command line fails.
#[must_use]
pub fn on_terminal(line: &str, variables: &[(&str, &str)]) -> String {
    let mut command = alone("script");
    command.args(["-qec", line, "/dev/null"]);
    let said = output(command.envs(variables.iter().copied()));
    assert!(said.status.success(), "{line}: {said:?}");
    String::from_utf8_lossy(&said.stdout).replace('\r', "")
}

/// Runs a command until it ends and returns its output. Kills it if it does not end.
fn output(command: &mut Command) -> Output {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("it runs");
    let group = Pid::from_raw(i32::try_from(child.id()).expect("a pid"));
    let (ended, end) = channel::<()>();
    std::thread::spawn(move || {
        if end.recv_timeout(RUN_TIMEOUT) == Err(RecvTimeoutError::Timeout) {
            let _ = killpg(group, Signal::SIGKILL);
        }
    });
    let output = child.wait_with_output().expect("its output");
    drop(ended);
    output
}

fn command<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = alone(binary());
    command.args(args);
    command
}

/// Returns a command in a process group of its own, without the options in the environment.
fn alone(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    // The environment of the tests may contain options for another service.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("DAYBOOK_")) {
        command.env_remove(name);
    }
    if let Some(folder) = pg_bin() {
        command.env("DAYBOOK_PG_BIN", folder);
    }
    command.process_group(0);
    command
}

/// Shell script that waits for the end of its input, which is the end of the test process, and then kills the process
/// group given as argument.
const WATCHDOG: &str = "cat > /dev/null; kill -9 -- -$0";

/// A running `daybook`, killed when it is dropped and when the test process ends in another way.
pub struct Daybook {
    child: Child,
    watchdog: Child,
    lines: Receiver<String>,
    /// Beginning of the links in its answers.
    pub base_url: String,
    /// Time from its start until it was ready.
    pub ready_after: Duration,
}

impl Daybook {
    /// Starts the binary and waits until it listens.
    ///
    /// # Panics
    ///
    /// Panics if it does not listen in time.
    pub fn start<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Self {
        Self::run(command(args))
    }

    /// Starts the binary with all log levels written to the file `log`, and waits until it listens.
    ///
    /// # Panics
    ///
    /// Panics if it does not listen in time, or the file cannot be written.
    pub fn start_tracing<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>, log: &Path) -> Self {
        let mut command = command(args);
        command.env("RUST_LOG", "trace").stderr(File::create(log).expect("a file"));
        Self::run(command)
    }

    /// Does the same as [`Daybook::start_tracing`], with these environment variables.
    ///
    /// # Panics
    ///
    /// Panics if it does not listen in time, or the file cannot be written.
    pub fn start_tracing_with<S: AsRef<OsStr>>(
        variables: &[(&str, &str)],
        args: impl IntoIterator<Item = S>,
        log: &Path,
    ) -> Self {
        let mut command = command(args);
        command.envs(variables.iter().copied());
        command.env("RUST_LOG", "trace").stderr(File::create(log).expect("a file"));
        Self::run(command)
    }

    /// Returns its process id as a number.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Starts the binary with a JSON log at its default level, written to the file `log`, and waits until it listens.
    ///
    /// # Panics
    ///
    /// Panics if it does not listen in time, or the file cannot be written.
    pub fn start_logging<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>, log: &Path) -> Self {
        let mut command = command(args);
        command.env("DAYBOOK_LOG", "json").env_remove("RUST_LOG").stderr(File::create(log).expect("a file"));
        Self::run(command)
    }

    /// Sends SIGTERM to the process and does not wait.
    ///
    /// # Panics
    ///
    /// Panics if the process has already ended.
    pub fn signal(&self) {
        nix::sys::signal::kill(pid(&self.child), Signal::SIGTERM).expect("it runs");
    }

    /// Waits until the process has ended.
    ///
    /// # Panics
    ///
    /// Panics if it does not end in time.
    #[must_use]
    pub fn ended(mut self) -> ExitStatus {
        let deadline = Instant::now() + OUTPUT_TIMEOUT;
        loop {
            if let Some(status) = self.child.try_wait().expect("it is ours") {
                return status;
            }
            assert!(Instant::now() < deadline, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn run(mut command: Command) -> Self {
        let started = Instant::now();
        let mut child = command.stdout(Stdio::piped()).spawn().expect("it runs");
        let watchdog = Command::new("sh")
            .args(["-c", WATCHDOG, &child.id().to_string()])
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("there is a shell");
        let output = child.stdout.take().expect("its output is a pipe");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let (base_url, ready_after) = (String::new(), Duration::ZERO);
        // From here on, a failure drops this value and so kills the process.
        let mut daybook = Self { child, watchdog, lines, base_url, ready_after };
        let first = daybook.lines.recv_timeout(OUTPUT_TIMEOUT).expect("it is ready in time");
        daybook.ready_after = started.elapsed();
        first.strip_prefix(READY).expect("its address").trim().clone_into(&mut daybook.base_url);
        daybook
    }

    /// Returns the address on which it listens, if it has no other public URL.
    ///
    /// # Panics
    ///
    /// Panics if `base_url` is not an address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        let address = self.base_url.split_once("://").and_then(|(_, text)| text.parse().ok());
        address.expect("an address")
    }

    /// Returns its process id.
    ///
    /// # Panics
    ///
    /// Never: a process id fits.
    #[must_use]
    pub fn pid(&self) -> Pid {
        pid(&self.child)
    }

    /// Returns its resident memory, in KiB.
    ///
    /// # Panics
    ///
    /// Panics if `/proc` does not contain the value.
    #[must_use]
    pub fn resident_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// Returns the lines printed since the previous call, up to the first for which `is_last` is true.
    ///
    /// # Panics
    ///
    /// Panics if that line is not printed in time.
    pub fn lines_until(&self, is_last: impl Fn(&str) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.lines.recv_timeout(OUTPUT_TIMEOUT).expect("another line");
            let done = is_last(&line);
            lines.push(line);
            if done {
                return lines;
            }
        }
    }

    /// Kills the whole process group, as `kill -9 -PGID` does.
    ///
    /// # Panics
    ///
    /// Panics if the process has already ended.
    pub fn kill(mut self) {
        killpg(pid(&self.child), Signal::SIGKILL).expect("it runs");
        self.child.wait().expect("it is ours");
    }

    /// Sends SIGTERM to the process and waits until it has ended.
    ///
    /// # Panics
    ///
    /// Panics if it does not end in time.
    #[must_use]
    pub fn terminate(self) -> ExitStatus {
        self.signal();
        self.ended()
    }
}

impl Drop for Daybook {
    fn drop(&mut self) {
        // The watchdog ends first: otherwise it could kill a later process with the same id.
        let _ = self.watchdog.kill();
        let _ = self.watchdog.wait();
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = killpg(pid(&self.child), Signal::SIGKILL);
            let _ = self.child.wait();
        }
    }
}

fn pid(child: &Child) -> Pid {
    Pid::from_raw(i32::try_from(child.id()).expect("a pid"))
}

/// Runs this command line in a shell and returns its output.
///
/// # Panics
///
/// Panics if there is no shell, or the command fails.
#[must_use]
pub fn shell(line: &str) -> String {
    let mut command = Command::new("sh");
    command.args(["-c", line]).env("no_proxy", "*").stdout(Stdio::piped());
    let mut child = command.spawn().expect("there is a shell");
    let mut said = String::new();
    child.stdout.take().expect("its output is a pipe").read_to_string(&mut said).expect("text");
    assert!(child.wait().expect("it is ours").success(), "{line}: {said}");
    said
}
