//! Databases for tests: one temporary PostgreSQL server per test process, and in it one migrated database per test. With
//! several servers ([`crate::servers`]), a database has a part on each: shard 2 on the second server, and so on.
//!
//! A database is dropped after its test: when a later test creates its own.
//!
//! The server has the durability settings of production, and lies on a memory disk if the machine has one. A watchdog
//! process removes the server as soon as the test process ends in any way.
#![allow(clippy::expect_used, reason = "a test that cannot have its database has failed")]

use std::cell::RefCell;
use std::future::Future;
use std::ops::RangeInclusive;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use daybook_engine::Entropy;
use daybook_log::postgres::{MAX_SHARDS, PostgresLog, add_shard};
use daybook_log::{FIRST_SHARD, Shard};
use daybook_pg::embedded::{self, Account, Options};
use daybook_pg::{Config, Pg, migrate};
use daybook_projector::Reads;

use crate::{servers, shard, shards};

/// Template database with the schema only.
const MIGRATED: &str = "template_migrated";
/// Copy of that template with the tables of read models.
const WITH_READ_MODELS: &str = "template_with_read_models";

/// Usual path of a memory disk, and the free space that it must have, in bytes.
const MEMORY_DISK: &str = "/dev/shm";
const MEMORY_DISK_FREE: u64 = 1 << 30;

/// Shell script that waits for the end of its input, which is the end of the test process, and then removes the server.
const WATCHDOG: &str = r#"cat > /dev/null; "$@" stop --mode immediate; rm -rf "$FOLDER""#;

/// A test's own database, with the newest schema, the tables of read models, and no data.
#[derive(Clone, Debug)]
pub struct Database {
    name: String,
    pg: Pg,
}

impl Database {
    /// Creates a database with the newest schema and the tables of read models.
    ///
    /// # Panics
    ///
    /// Panics if there is no PostgreSQL on this machine, or it fails.
    pub async fn create() -> Self {
        Self::cloned_from(cluster().with_read_models()).await
    }

    /// Creates a database with the newest schema and without tables of read models, for tests of their creation.
    ///
    /// # Panics
    ///
    /// Panics if there is no PostgreSQL on this machine, or it fails.
    pub async fn without_read_models() -> Self {
        Self::cloned_from(cluster().migrated()).await
    }

    /// Creates a database without any schema, for tests of migrations.
    ///
    /// # Panics
    ///
    /// Panics if there is no PostgreSQL on this machine, or it fails.
    pub async fn empty() -> Self {
        Self::cloned_from("template0").await
    }

    /// Creates a database with shards 1 to `count`.
    ///
    /// # Panics
    ///
    /// Panics if there is no PostgreSQL on this machine, or it fails.
    pub async fn with_shards(count: Shard) -> Self {
        let database = Self::create().await;
        add_shards(&database.pg, count).await;
        database
    }

    async fn cloned_from(template: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(1);
        drop_finished().await;
        let name = format!("test_{}", COUNT.fetch_add(1, Ordering::Relaxed));
        for cluster in clusters() {
            cluster.create_database(&name, template).await;
        }
        OF_THIS_TEST.with_borrow_mut(|test| test.0.push(name.clone()));
        let pg = pg_of(&name);
        Self { name, pg }
    }

    /// Returns the configuration of a connection to this database.
    #[must_use]
    pub fn config(&self) -> Config {
        self.pg.config().clone()
    }

    /// Returns the pool of this database. Every call returns the same pool.
    #[must_use]
    pub fn pg(&self) -> Pg {
        self.pg.clone()
    }

    /// Connects to the server of the tests' shard without a statement timeout, for statements on many rows on a busy
    /// machine.
    ///
    /// # Panics
    ///
    /// Panics if the connection fails.
    pub async fn patient_client(&self) -> tokio_postgres::Client {
        let client = self.pg.of(shard()).dedicated().await.expect("connects");
        client.batch_execute("set statement_timeout = 0").await.expect("is set");
        client
    }

    /// Runs statements on the server of the tests' shard, with the rights of the login.
    ///
    /// # Panics
    ///
    /// Panics if a statement fails.
    pub async fn execute(&self, sql: &str) {
        self.pg.of(shard()).client().await.expect("connects").batch_execute(sql).await.expect(sql);
    }

    /// Returns the value of `daybook --database-url` for this database.
    #[must_use]
    pub fn url(&self) -> String {
        cluster().url(&self.name)
    }

    /// Returns the options with which a command finds this database on all its servers: `--database-url`, and a
    /// `--shard-url` for each other server.
    #[must_use]
    pub fn options(&self) -> Vec<String> {
        let others = others().map(|(shards, cluster)| {
            format!("{}-{}={}", shards.start(), shards.end(), cluster.url(&self.name))
        });
        let others = others.flat_map(|map| ["--shard-url".to_owned(), map]);
        ["--database-url".to_owned(), self.url()].into_iter().chain(others).collect()
    }
}

thread_local! {
    /// Databases created by this thread. The test harness runs each test in a thread of its own.
    static OF_THIS_TEST: RefCell<OfOneTest> = const { RefCell::new(OfOneTest(Vec::new())) };
}

/// Databases of tests that have ended and that are still to be dropped.
static FINISHED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Names of the databases of one test. They are finished when the test's thread ends, with or without a panic.
struct OfOneTest(Vec<String>);

impl Drop for OfOneTest {
    fn drop(&mut self) {
        FINISHED.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.0);
    }
}

/// Drops the databases of tests that have ended: a thousand of them would fill the memory of a small machine.
async fn drop_finished() {
    let finished = std::mem::take(&mut *FINISHED.lock().unwrap_or_else(PoisonError::into_inner));
    if finished.is_empty() {
        return;
    }
    for cluster in clusters() {
        let admin = cluster.admin().await;
        for name in &finished {
            let drop = format!("drop database {name} with (force)");
            admin.batch_execute(&drop).await.expect("the database of a test that has ended can be dropped");
        }
    }
}

/// The PostgreSQL server of this test process.
#[derive(Debug)]
pub struct Cluster {
    server: embedded::Cluster,
    migrated: OnceLock<()>,
    with_read_models: OnceLock<()>,
    /// Its input is closed by the operating system when this process ends; see [`WATCHDOG`].
    _watchdog: Child,
}

/// Returns the folder of the server's programs, if the environment names one, as `tests/majors/run.sh` does.
#[must_use]
pub fn pg_bin() -> Option<PathBuf> {
    std::env::var_os("DAYBOOK_TEST_PG_BIN").map(PathBuf::from)
}

/// Returns the server of this test process. The first call starts it.
///
/// # Panics
///
/// Panics if there is no PostgreSQL on this machine, or it does not start.
#[must_use]
pub fn cluster() -> &'static Cluster {
    &clusters()[0]
}

/// Returns all servers of this test process. The first call starts them.
fn clusters() -> &'static [Cluster] {
    static CLUSTERS: OnceLock<Vec<Cluster>> = OnceLock::new();
    CLUSTERS.get_or_init(|| (0..servers()).map(|_| block_on(Cluster::start())).collect())
}

/// Returns the servers beside the first one with their shards. The last one has every shard that no other has.
fn others() -> impl Iterator<Item = (RangeInclusive<Shard>, &'static Cluster)> {
    (2..).zip(&clusters()[1..]).map(|(shard, cluster)| {
        let last = if shard == servers() { MAX_SHARDS } else { shard };
        (shard..=last, cluster)
    })
}

/// Returns the pools of a database on all servers.
fn pg_of(database: &str) -> Pg {
    let others = others().map(|(shards, cluster)| (shards, cluster.config(database)));
    Pg::with_servers(cluster().config(database), others.collect()).expect("the pools are well configured")
}

impl Cluster {
    /// Returns the URL of one of its databases for another process.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        let socket_dir = self.server.socket_dir();
        format!("host={} port=5432 user=daybook dbname={database}", socket_dir.display())
    }

    async fn start() -> Self {
        let folder = temporary_folder();
        // Autovacuum would start a worker ten times a second, for one after another of hundreds of databases.
        let settings = [
            ("max_connections", "300"),
            ("shared_buffers", "64MB"),
            ("max_wal_size", "256MB"),
            ("autovacuum", "off"),
        ];
        let options = Options {
            data_dir: folder.clone(),
            pg_bin: pg_bin(),
            settings: settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        };
        let server = embedded::Cluster::prepare(options).await.expect("the server can be prepared");
        // Before the start, so that the server is removed even if this process dies during it.
        let watchdog = watchdog(&server, &folder);
        server.start().await.expect("the server starts");
        Self { server, migrated: OnceLock::new(), with_read_models: OnceLock::new(), _watchdog: watchdog }
    }

    /// Returns the configuration of a connection to one of its databases.
    #[must_use]
    pub fn config(&self, database: &str) -> Config {
        self.server.config().with_database(database)
    }

    /// Returns the folder of the server's programs.
    #[must_use]
    pub fn bin_dir(&self) -> &Path {
        self.server.bin_dir()
    }

    /// Returns the name of the migrated template. The first call creates it on every server.
    fn migrated(&'static self) -> &'static str {
        self.migrated.get_or_init(|| {
            block_on(make_template(MIGRATED, "template0", async |pg| {
                for server in pg.servers() {
                    migrate::run(&server).await.expect("the migrations pass");
                }
            }));
        });
        MIGRATED
    }

    /// Returns the name of the template with the tables of read models, which are created once and not in every copy.
    fn with_read_models(&'static self) -> &'static str {
        self.with_read_models.get_or_init(|| {
            block_on(make_template(WITH_READ_MODELS, self.migrated(), async |pg| {
                let reads = Reads::new(pg.clone(), Arc::new(PostgresLog::new(pg.clone())));
                reads.versions().make(FIRST_SHARD).await.expect("the tables can be made");
                add_shards(&pg, shards()).await;
            }));
        });
        WITH_READ_MODELS
    }

    async fn create_database(&self, name: &str, template: &str) {
        let admin = self.admin().await;
        // Copying files costs two checkpoints, cheap on a memory disk, and takes a third of the time of logging every
        // page (12 ms instead of 30 ms). Before PostgreSQL 15 it is the only strategy and has no name.
        let nameable = "select current_setting('server_version_num')::int >= 150000";
        let nameable = admin.query_one(nameable, &[]).await.expect("the server has a version").get(0);
        let strategy = if nameable { "strategy file_copy" } else { "" };
        let create = format!("create database {name} template {template} {strategy}");
        admin.batch_execute(&create).await.expect("a database can be made");
    }

    async fn admin(&self) -> tokio_postgres::Client {
        let pg = Pg::new(self.config("postgres")).expect("the pool is well configured");
        pg.dedicated().await.expect("the server answers")
    }
}

/// Creates a template on every server.
async fn make_template(name: &str, of: &str, work: impl AsyncFnOnce(Pg)) {
    for cluster in clusters() {
        cluster.create_database(name, of).await;
    }
    work(pg_of(name)).await;
    // A template can be copied only while no session is connected to it, and a connection takes a moment to end.
    let leave = "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1";
    for cluster in clusters() {
        cluster.admin().await.query(leave, &[&name]).await.expect("old connections end");
    }
}

/// Adds shards with their read models, until there are `count`.
async fn add_shards(pg: &Pg, count: Shard) {
    let log = PostgresLog::new(pg.clone());
    let reads = Reads::new(pg.clone(), Arc::new(log.clone()));
    let known = log.shards().await.expect("a table of shards").len();
    for _ in known..usize::try_from(count).expect("a small number") {
        let added =
            add_shard(pg, uuid::Uuid::from_bytes(Entropy.bytes())).await.expect("a shard can be added");
        let shard = added.expect("there are fewer than 64");
        reads.versions().make(shard).await.expect("the tables can be made");
    }
}

/// Runs `work` on a separate thread with its own runtime: the caller may be inside a runtime that another test ends.
fn block_on<T: Send>(work: impl Future<Output = T> + Send) -> T {
    std::thread::scope(|scope| {
        let done = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime can be made").block_on(work)
        });
        done.join().expect("the server is ready")
    })
}

/// Creates a folder owned by the server's account, so that the watchdog may remove it.
pub(crate) fn temporary_folder() -> PathBuf {
    let disk =
        if is_spacious(Path::new(MEMORY_DISK)) { PathBuf::from(MEMORY_DISK) } else { std::env::temp_dir() };
    let folder =
        tempfile::Builder::new().prefix("daybook-test-").tempdir_in(disk).expect("a folder can be made");
    let folder = folder.keep();
    let account = Account::choose(&folder.join("postgres")).expect("there is an account for the server");
    account.own(&folder).expect("the folder can be given away");
    folder
}

fn is_spacious(disk: &Path) -> bool {
    nix::sys::statvfs::statvfs(disk)
        .is_ok_and(|found| found.blocks_available().saturating_mul(found.fragment_size()) >= MEMORY_DISK_FREE)
}

/// Starts the watchdog, out of reach of a signal to the test's process group. It acts when its input ends.
fn watchdog(server: &embedded::Cluster, folder: &Path) -> Child {
    let pg_ctl = server.pg_ctl();
    let mut command = Command::new("sh");
    server.account().enter(&mut command);
    command
        .args(["-c", WATCHDOG, "watchdog"])
        .arg(pg_ctl.get_program())
        .args(pg_ctl.get_args())
        .env("FOLDER", folder)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().expect("there is a shell")
}
