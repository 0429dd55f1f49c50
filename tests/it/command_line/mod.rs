//! The command line: its behaviour when it ends early, the files that it creates, and its messages.

mod keys;
mod looks;
mod pipes;
mod stops;
mod urls;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use daybook_pg::embedded::{Cluster, Options, StopMode};
use daybook_tests::process::{binary, run};
use tempfile::TempDir;

/// A data folder below a temporary one. [`DataFolder::stop`] ends a server that is still running.
struct DataFolder {
    above: TempDir,
}

impl DataFolder {
    fn new() -> Self {
        use std::os::unix::fs::PermissionsExt;
        let above = tempfile::Builder::new().prefix("daybook-cli-").tempdir().expect("a folder");
        // As root, the command runs PostgreSQL under another account, which must be able to enter the folder.
        let mode = std::fs::Permissions::from_mode(0o711);
        std::fs::set_permissions(above.path(), mode).expect("the mode can be set");
        Self { above }
    }

    fn path(&self) -> PathBuf {
        self.above.path().join("data")
    }

    fn text(&self) -> String {
        self.path().display().to_string()
    }

    /// The server, if the folder has one.
    async fn server(&self) -> Option<Cluster> {
        let options =
            Options { data_dir: self.path(), pg_bin: daybook_tests::database::pg_bin(), settings: vec![] };
        if self.path().join("postgres").is_dir() { Cluster::prepare(options).await.ok() } else { None }
    }

    async fn is_served(&self) -> bool {
        self.server().await.is_some_and(|cluster| cluster.is_running())
    }

    async fn stop(&self) {
        if let Some(cluster) = self.server().await {
            let _ = cluster.stop(StopMode::Immediate).await;
        }
    }
}

/// A running `daybook` with its output in pipes, in a process group of its own.
fn spawn(args: &[&str]) -> Child {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(binary());
    command.args(args).process_group(0).env_remove("RUST_LOG");
    if let Some(folder) = daybook_tests::database::pg_bin() {
        command.env("DAYBOOK_PG_BIN", folder);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs")
}

/// Waits up to one minute for the process to end. Returns its output.
fn ended(mut child: Child) -> Output {
    let deadline = Instant::now() + Duration::from_mins(1);
    while child.try_wait().expect("it is ours").is_none() {
        assert!(Instant::now() < deadline, "it does not end");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().expect("its output")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Standard error and exit code of a command.
fn refused(args: &[&str]) -> (String, Option<i32>) {
    let output = run(args);
    (text(&output.stderr), output.status.code())
}

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
