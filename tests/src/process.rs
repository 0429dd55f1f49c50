//! The real binary `daybook`, in a process group of its own that a test may kill.
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

/// How long the binary may take to say what a test waits for.
const PATIENCE: Duration = Duration::from_secs(30);
/// No command takes longer, on however busy a machine.
const LONGEST: Duration = Duration::from_mins(4);

/// What `dev` and `serve` say once they listen, before the address.
const READY: &str = "Daybook is ready at ";

/// The binary, which Cargo built before the tests.
///
/// # Panics
///
/// Tests that were started without Cargo, which builds it.
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

/// Runs the binary to its end.
///
/// # Panics
///
/// If it cannot be run.
pub fn run<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Output {
    output(&mut command(args))
}

/// Runs the binary to its end with these variables.
///
/// # Panics
///
/// If it cannot be run.
pub fn run_with<S: AsRef<OsStr>>(variables: &[(&str, &str)], args: impl IntoIterator<Item = S>) -> Output {
    output(command(args).envs(variables.iter().copied()))
}

/// What a command said by its end; one that serves instead of ending is killed.
fn output(command: &mut Command) -> Output {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("it runs");
    let group = Pid::from_raw(i32::try_from(child.id()).expect("a pid"));
    let (ended, end) = channel::<()>();
    std::thread::spawn(move || {
        if end.recv_timeout(LONGEST) == Err(RecvTimeoutError::Timeout) {
            let _ = killpg(group, Signal::SIGKILL);
        }
    });
    let output = child.wait_with_output().expect("its output");
    drop(ended);
    output
}

fn command<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(binary());
    // Whoever runs the tests may have set options for a service of their own.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("DAYBOOK_")) {
        command.env_remove(name);
    }
    if let Some(folder) = pg_bin() {
        command.env("DAYBOOK_PG_BIN", folder);
    }
    command.args(args).process_group(0);
    command
}

/// Waits for the end of its input, which is the end of the test process, then kills the group that it is told.
const WATCHDOG: &str = "cat > /dev/null; kill -9 -- -$0";

/// A running `daybook`; killed when it is dropped, and when the test process ends in another way.
pub struct Daybook {
    child: Child,
    watchdog: Child,
    lines: Receiver<String>,
    /// What links in its answers begin with.
    pub base_url: String,
    /// How long it took until it did.
    pub ready_after: Duration,
}

impl Daybook {
    /// Starts it and waits until it listens.
    ///
    /// # Panics
    ///
    /// If it does not.
    pub fn start<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Self {
        Self::run(command(args))
    }

    /// Starts it with all that it and its libraries can log going to the file at `log`, and waits until it listens.
    ///
    /// # Panics
    ///
    /// If it does not, or the file cannot be written.
    pub fn start_tracing<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>, log: &Path) -> Self {
        let mut command = command(args);
        command.env("RUST_LOG", "trace").stderr(File::create(log).expect("a file"));
        Self::run(command)
    }

    /// The same with these variables.
    ///
    /// # Panics
    ///
    /// As [`Daybook::start_tracing`].
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

    /// Its number at the operating system.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Starts it with a log of JSON lines, at the level that it has by itself, going to the file at `log`, and waits until it
    /// listens.
    ///
    /// # Panics
    ///
    /// If it does not, or the file cannot be written.
    pub fn start_logging<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>, log: &Path) -> Self {
        let mut command = command(args);
        command.env("DAYBOOK_LOG", "json").env_remove("RUST_LOG").stderr(File::create(log).expect("a file"));
        Self::run(command)
    }

    /// Asks the process to end, and goes on.
    ///
    /// # Panics
    ///
    /// If it has ended already.
    pub fn signal(&self) {
        nix::sys::signal::kill(pid(&self.child), Signal::SIGTERM).expect("it runs");
    }

    /// Waits until it has ended.
    ///
    /// # Panics
    ///
    /// If it does not end.
    #[must_use]
    pub fn ended(mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
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
        // From here on it is killed should something be wrong.
        let mut daybook = Self { child, watchdog, lines, base_url, ready_after };
        let first = daybook.lines.recv_timeout(PATIENCE).expect("it is ready in time");
        daybook.ready_after = started.elapsed();
        first.strip_prefix(READY).expect("its address").trim().clone_into(&mut daybook.base_url);
        daybook
    }

    /// Where it listens, if it tells no other address to the public.
    ///
    /// # Panics
    ///
    /// If it does.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        let address = self.base_url.split_once("://").and_then(|(_, text)| text.parse().ok());
        address.expect("an address")
    }

    /// Its process id.
    ///
    /// # Panics
    ///
    /// Never: it has one.
    #[must_use]
    pub fn pid(&self) -> Pid {
        pid(&self.child)
    }

    /// How much memory it has now, in KiB.
    ///
    /// # Panics
    ///
    /// If the system does not tell.
    #[must_use]
    pub fn resident_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// The lines that it has printed and nobody has asked for, up to the next one that `is_last`.
    ///
    /// # Panics
    ///
    /// If that one does not come.
    pub fn lines_until(&self, is_last: impl Fn(&str) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.lines.recv_timeout(PATIENCE).expect("another line");
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
    /// If it has ended already.
    pub fn kill(mut self) {
        killpg(pid(&self.child), Signal::SIGKILL).expect("it runs");
        self.child.wait().expect("it is ours");
    }

    /// Asks the process to end, and waits for that.
    ///
    /// # Panics
    ///
    /// If it does not end.
    #[must_use]
    pub fn terminate(self) -> ExitStatus {
        self.signal();
        self.ended()
    }
}

impl Drop for Daybook {
    fn drop(&mut self) {
        // First, so that it cannot kill whoever gets the number next.
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

/// What a shell prints for this command line.
///
/// # Panics
///
/// If there is no shell, or the command fails.
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
