//! The embedded PostgreSQL server: start, restart after a crash, attachment to a running server, and stop.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use daybook_pg::Error;
use daybook_pg::embedded::{Cluster, Embedded, Options, StopMode};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;
use tokio_postgres::NoTls;

/// A data folder whose server is stopped at the end of the test, passed or failed.
struct Server {
    folder: TempDir,
}

impl Server {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("daybook-embedded-").tempdir().expect("a folder");
        // As root, the server runs under another account, which must be able to enter the folder.
        set_mode(folder.path(), 0o711);
        Self { folder }
    }

    fn options(&self) -> Options {
        let settings = vec![("shared_buffers".to_owned(), "16MB".to_owned())];
        Options { data_dir: self.data_dir(), pg_bin: daybook_tests::database::pg_bin(), settings }
    }

    fn data_dir(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    async fn start(&self) -> Embedded {
        Embedded::start(self.options()).await.expect("the server starts")
    }

    async fn cluster(&self) -> Cluster {
        Cluster::prepare(self.options()).await.expect("the folder is usable")
    }

    async fn pid(&self) -> Option<i32> {
        self.cluster().await.pid()
    }

    /// Waits up to 20 seconds for a server process other than `old`.
    async fn pid_after(&self, old: i32) -> i32 {
        let cluster = self.cluster().await;
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            match cluster.pid() {
                Some(pid) if pid != old => return pid,
                _ => assert!(Instant::now() < deadline, "no new server within 20 seconds"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A separate thread and runtime, because the test's own runtime may be in a panic.
        let options = self.options();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let runtime =
                    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
                runtime.block_on(async {
                    if let Ok(cluster) = Cluster::prepare(options).await {
                        let _ = cluster.stop(StopMode::Immediate).await;
                    }
                });
            });
        });
    }
}

async fn ask(server: &Embedded, question: &str) -> Result<String, tokio_postgres::Error> {
    let (client, connection) = server.config().to_tokio_postgres().connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(client.query_one(question, &[]).await?.get(0))
}

async fn answer_before(server: &Embedded, question: &str, deadline: Instant) -> String {
    loop {
        match ask(server, question).await {
            Ok(answer) => return answer,
            Err(error) => assert!(Instant::now() < deadline, "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn crash(pid: i32) {
    kill(Pid::from_raw(pid), Signal::SIGKILL).expect("the server can be killed");
}

fn mode_of(path: &Path) -> u32 {
    path.metadata().expect("it exists").permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("the mode can be set");
}

/// Session id of a process.
fn session_of(pid: i32) -> i32 {
    nix::unistd::getsid(Some(Pid::from_raw(pid))).expect("the process exists").as_raw()
}

/// The server also has a session of its own, so that signals of a terminal do not reach it.
#[tokio::test]
async fn new_folder_gets_durable_server_without_tcp() {
    let server = Server::new();
    let embedded = server.start().await;
    assert!(!embedded.attached());
    assert!(embedded.bin_dir().join("pg_ctl").is_file());
    for (setting, value) in [
        ("fsync", "on"),
        ("synchronous_commit", "on"),
        ("full_page_writes", "on"),
        ("data_checksums", "on"),
        ("listen_addresses", ""),
        ("server_encoding", "UTF8"),
        ("shared_buffers", "16MB"),
        ("max_wal_size", "4GB"),
    ] {
        assert_eq!(ask(&embedded, &format!("show {setting}")).await.expect("an answer"), value, "{setting}");
    }
    assert_eq!(ask(&embedded, "select current_database()::text").await.expect("an answer"), "daybook");
    let pid = server.pid().await.expect("it runs");
    assert_eq!(session_of(pid), pid);
    embedded.stop().await.expect("it stops");
}

#[tokio::test]
async fn crashed_server_restarts_with_its_data() {
    let server = Server::new();
    let embedded = server.start().await;
    ask(&embedded, "with made as (select set_config('a.b', 'c', true)) select 'ok'")
        .await
        .expect("an answer");
    let pg = daybook_pg::Pg::new(embedded.config()).expect("a pool");
    pg.client()
        .await
        .expect("a connection")
        .batch_execute("create table t as select 'kept' as c")
        .await
        .expect("done");
    for _ in 0..3 {
        let pid = server.pid().await.expect("it runs");
        crash(pid);
        server.pid_after(pid).await;
        let deadline = Instant::now() + Duration::from_secs(20);
        assert_eq!(answer_before(&embedded, "select c from t", deadline).await, "kept");
    }
    embedded.stop().await.expect("it stops");
}

#[tokio::test]
async fn second_start_attaches_to_running_server() {
    let server = Server::new();
    let first = server.start().await;
    let second = server.start().await;
    assert!(!first.attached() && second.attached());
    assert_eq!(ask(&second, "select 'hello'").await.expect("an answer"), "hello");
    drop(second);
    first.stop().await.expect("it stops");
}

#[tokio::test]
async fn concurrent_starts_create_one_server() {
    let server = Server::new();
    let (a, b, c) = tokio::join!(server.start(), server.start(), server.start());
    assert_eq!([&a, &b, &c].iter().filter(|started| !started.attached()).count(), 1);
    drop((b, c));
    a.stop().await.expect("it stops");
}

#[tokio::test]
async fn stopped_server_stays_stopped() {
    let server = Server::new();
    server.start().await.stop().await.expect("it stops");
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(server.pid().await, None);
}

#[tokio::test]
async fn dropped_server_keeps_running_without_supervision() {
    let server = Server::new();
    drop(server.start().await);
    let pid = server.pid().await.expect("it runs");
    let again = server.start().await;
    assert!(again.attached());
    assert_eq!(server.pid().await, Some(pid));
    drop(again);
    tokio::task::yield_now().await;
    crash(pid);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(server.pid().await, None);
}

#[tokio::test]
async fn unsupervised_crashed_server_starts_again() {
    let server = Server::new();
    drop(server.start().await);
    crash(server.pid().await.expect("it runs"));
    let again = server.start().await;
    assert!(!again.attached());
    assert_eq!(ask(&again, "select 'hello'").await.expect("an answer"), "hello");
    again.stop().await.expect("it stops");
}

#[tokio::test]
async fn missing_programs_error_names_install_commands() {
    let server = Server::new();
    let options = Options { pg_bin: Some(server.folder.path().to_owned()), ..server.options() };
    let said = Embedded::start(options).await.expect_err("there are none").to_string();
    for command in
        ["apt-get install postgresql", "dnf install postgresql-server", "brew install postgresql@17"]
    {
        assert!(said.contains(command), "{said}");
    }
}

#[tokio::test]
async fn overlong_socket_path_is_refused() {
    let server = Server::new();
    let options = Options { data_dir: server.data_dir().join("x".repeat(100)), ..server.options() };
    let said = Embedded::start(options).await.expect_err("the path is too long").to_string();
    assert!(said.contains("--data-dir"), "{said}");
}

#[tokio::test]
async fn inaccessible_folder_is_named_in_error() {
    if !nix::unistd::Uid::effective().is_root() {
        return; // Only root runs the server under another account.
    }
    let server = Server::new();
    let closed = &server.folder.path().join("closed");
    std::fs::create_dir(closed).expect("a folder");
    set_mode(closed, 0o700);
    let options = Options { data_dir: closed.join("data"), ..server.options() };
    let said = Embedded::start(options).await.expect_err("other accounts may not enter").to_string();
    assert!(said.contains(&closed.display().to_string()) && said.contains("--data-dir"), "{said}");
}

#[tokio::test]
async fn refused_setting_is_named_in_error() {
    let server = Server::new();
    let settings = vec![("shared_buffers".to_owned(), "plenty".to_owned())];
    let said = Embedded::start(Options { settings, ..server.options() }).await.expect_err("not a size");
    assert!(matches!(said, Error::Embedded(_)));
    assert!(said.to_string().contains("shared_buffers"), "{said}");
}

#[tokio::test]
async fn cluster_and_socket_are_private() {
    let server = Server::new();
    let embedded = server.start().await;
    assert_eq!(mode_of(&server.data_dir().join("postgres")), 0o700);
    assert_eq!(mode_of(&server.data_dir().join("socket")), 0o700);
    embedded.stop().await.expect("it stops");
}

#[tokio::test]
async fn lock_error_names_the_holding_process() {
    let server = Server::new();
    let cluster = server.cluster().await.with_patience(Duration::from_millis(100));
    let path = server.data_dir().join("postgres.lock");
    // A lock file of an earlier release, which any account may open and therefore lock.
    let held = std::fs::File::create(&path).expect("a file");
    set_mode(&path, 0o644);
    held.lock().expect("the lock is free");
    let refused = cluster.start().await.expect_err("the lock is held").to_string();
    let us = format!("process {} (", std::process::id());
    assert!(refused.contains(&us) && refused.contains("postgres.lock"), "{refused}");
    let mode = std::fs::metadata(&path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "other accounts can open it");
    held.unlock().expect("we held it");
    let _ = cluster.start().await.expect("the lock is free again");
}

#[tokio::test]
async fn folder_name_never_reaches_a_shell() {
    use std::os::unix::ffi::OsStrExt;
    let server = Server::new();
    let names: [&[u8]; 3] =
        [b"$(touch pwned) `touch pwned`", b"it's, \"here\"", b"back\\slash\nno text \xff\xfe"];
    for name in names {
        let data_dir = server.folder.path().join(std::ffi::OsStr::from_bytes(name));
        let options = Options { data_dir, ..server.options() };
        let embedded = Embedded::start(options.clone()).await.expect("it starts");
        assert_eq!(ask(&embedded, "select 'hello'").await.expect("an answer"), "hello");
        let again = Embedded::start(options.clone()).await.expect("it is found");
        assert!(again.attached(), "{}", String::from_utf8_lossy(name));
        drop(again);
        embedded.stop().await.expect("it stops");
        let cluster = Cluster::prepare(options.clone()).await.expect("is usable");
        assert!(!cluster.is_running());
        for place in [&options.data_dir, server.folder.path(), Path::new("/")] {
            assert!(!place.join("pwned").exists(), "{}", String::from_utf8_lossy(name));
        }
    }
}

/// Creates a folder with copies of the server programs.
fn programs_in(folder: &Path, of: &Path) {
    std::fs::create_dir(folder).expect("a folder");
    for program in ["initdb", "pg_ctl", "postgres"] {
        std::fs::copy(of.join(program), folder.join(program)).expect("a copy");
    }
}

#[tokio::test]
async fn unusable_programs_are_named_in_error() {
    let server = Server::new();
    let of = server.cluster().await.bin_dir().to_owned();
    let signs = server.folder.path().join("$(bin)");
    programs_in(&signs, &of);
    let said = Embedded::start(Options { pg_bin: Some(signs), ..server.options() }).await;
    let said = said.expect_err("a shell would read that").to_string();
    assert!(said.contains("$(bin)") && said.contains("--pg-bin"), "{said}");
    if !nix::unistd::Uid::effective().is_root() {
        return; // Only root runs the server under another account.
    }
    let closed = server.folder.path().join("closed");
    programs_in(&closed, &of);
    set_mode(&closed, 0o700);
    let said = Embedded::start(Options { pg_bin: Some(closed.clone()), ..server.options() }).await;
    let said = said.expect_err("other accounts may not enter").to_string();
    assert!(said.contains(&closed.display().to_string()) && said.contains("--pg-bin"), "{said}");
}

#[tokio::test]
async fn error_names_the_embedded_server_once() {
    let server = Server::new();
    let settings = vec![("shared_buffers".to_owned(), "plenty".to_owned())];
    let said = Embedded::start(Options { settings, ..server.options() }).await.expect_err("not a size");
    assert_eq!(said.to_string().matches("embedded PostgreSQL:").count(), 1, "{said}");
}

#[test]
fn account_without_name_gets_helpful_error() {
    use std::os::unix::process::CommandExt;
    if !nix::unistd::Uid::effective().is_root() {
        return; // Only root can run a process under another account.
    }
    let folder = tempfile::tempdir().expect("a folder");
    set_mode(folder.path(), 0o777);
    let binary = folder.path().join("daybook");
    std::fs::copy(daybook_tests::process::binary(), &binary).expect("a copy that any account may run");
    let mut command = std::process::Command::new(&binary);
    command.args(["dev", "--listen", "127.0.0.1:0", "--data-dir"]).arg(folder.path().join("data"));
    command.uid(54_321).gid(54_321).current_dir("/");
    let output = loop {
        match command.output() {
            // A process forked by another test still has the copy open for writing.
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {}
            ran => break ran.expect("it runs"),
        }
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.contains("54321") && said.contains("/etc/passwd") && said.contains("--database-url"),
        "{said}"
    );
}
