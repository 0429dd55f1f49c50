//! `daybook-torture migrate`: migrates the schema while processes of the previous release handle payments, then runs
//! processes of both releases side by side, and finally the new release alone.

use std::fmt::{Display, Formatter};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use tokio::time::sleep;
use tokio_postgres::Client as Database;

use crate::arena::{Arena, daybook, printed};
use crate::cluster::Cluster;
use crate::error::{Result, failed};
use crate::payments::Payers;
use crate::service::Host;
use crate::stage::{self, Plan, Stage};
use crate::tally::{self, Tally};

/// Number of payers at each service.
const PAYERS: u64 = 8;
/// Duration of the load in each phase: before the migration, after it, with both releases, and with the new release
/// alone.
const LOAD_DURATION: Duration = Duration::from_secs(2);
/// Maximum wait for a lock of a migration, in milliseconds.
const LOCK_DURATION_MS: i64 = 1_000;
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// Timeout for a service to end after SIGTERM.
const STOP_TIMEOUT: Duration = Duration::from_secs(30);

/// Query for the longest current wait for a lock, in milliseconds. Concurrent migrations wait for an advisory lock,
/// which is not counted.
const WAITS: &str = "select coalesce(max(extract(epoch from clock_timestamp() - waitstart) * 1000), 0)::bigint \
     from pg_locks where not granted and locktype <> 'advisory'";
const VERSION: &str = "select max(version) from refinery_schema_history";

/// Options of `migrate`.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Path of the binary `daybook` that migrates.
    #[arg(long)]
    pub binary: PathBuf,
    /// Path of a binary of the previous release, with an older schema.
    #[arg(long)]
    pub from: PathBuf,
    /// Number of migrations, each on a new server.
    #[arg(long, default_value_t = 3)]
    pub times: u64,
    /// Seed of the payments.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Folder for results.
    #[arg(long, default_value = "target/torture/migrate")]
    pub out: PathBuf,
}

/// Result of a migration.
struct Migrated {
    tally: Tally,
    versions: (i32, i32),
    took: Duration,
    /// Longest waits for a lock before the migration, and from then on, in milliseconds. Writers also wait for each
    /// other.
    waited_ms: (i64, i64),
    /// Number of payments that were acknowledged during the migration.
    meanwhile: usize,
    /// Number of payments that were acknowledged after it by the previous release, and by the new one.
    after: (usize, usize),
}

impl Migrated {
    fn is_well(&self) -> bool {
        let is_met = self.versions.1 > self.versions.0 && self.after.0 > 0 && self.after.1 > 0;
        is_met && self.tally.is_clean() && self.waited_ms.1 <= LOCK_DURATION_MS
    }
}

impl Display for Migrated {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { tally, versions, took, waited_ms, meanwhile, after } = self;
        write!(f, "V{} to V{} in {} ms; {tally}; ", versions.0, versions.1, took.as_millis())?;
        write!(f, "longest wait for a lock {} ms before, {} ms from then on; ", waited_ms.0, waited_ms.1)?;
        write!(
            f,
            "acknowledged {meanwhile} meanwhile, then {} by the old and {} by the new",
            after.0, after.1
        )
    }
}

/// Makes the migrations, compares payments with the log, and prints the results.
pub async fn run(options: Options) -> Result<ExitCode> {
    let mut is_well = true;
    println!("seed {}", options.seed);
    for time in 1..=options.times {
        let folder = stage::folder()?;
        let cluster = Cluster::start(&folder, &[]).await?;
        let plan = Plan { hosts: 2, ..Plan::plain(&options.from, &options.out) };
        let stage = Stage::set_on(cluster, &plan).await?;
        let done = one(&stage.arena, &options, time).await?;
        println!("migration {time}: {done}");
        is_well &= done.is_well();
    }
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn one(arena: &Arena, options: &Options, time: u64) -> Result<Migrated> {
    let database = arena.cluster.connect().await?;
    let (before, from) = (tally::count(&database).await?, version(&database).await?);
    let waits = Waits::watch(arena.cluster.connect().await?);
    let [one, other] = &arena.hosts[..] else { return Err(failed("there must be two services")) };
    let payers = |host: &Host, name: &str| {
        Payers::start(&arena.world, host.address, (&format!("m{time}{name}"), PAYERS), options.seed)
    };
    let (first, second) = (payers(one, "a"), payers(other, "b"));
    sleep(LOAD_DURATION).await;
    let waited_before = waits.longest();
    let (begun, paid) = (Instant::now(), first.acknowledged() + second.acknowledged());
    command(arena, &options.binary, &["migrate"]).await?;
    let (took, paid_then) = (begun.elapsed(), first.acknowledged() + second.acknowledged());
    sleep(LOAD_DURATION).await;
    // Both releases run side by side, with one service each.
    let mut by_old = second.acknowledged();
    let mut payments = second.stop().await;
    end(other).await?;
    let new = other.with(&options.binary)?;
    new.start().await?;
    let third = payers(&new, "c");
    sleep(LOAD_DURATION).await;
    by_old += first.acknowledged();
    payments.extend(first.stop().await);
    end(one).await?;
    sleep(LOAD_DURATION).await;
    let by_new = third.acknowledged();
    payments.extend(third.stop().await);
    let waited_ms = (waited_before, waits.longest());
    let mut tally = Tally::of(&payments, &database).await?;
    tally.resolve(&payments, &arena.world, new.address, (&database, before)).await?;
    command(arena, &options.binary, &["log", "verify"]).await?;
    command(arena, &options.binary, &["reconcile", "replay"]).await?;
    let versions = (from, version(&database).await?);
    let (meanwhile, after) = (paid_then - paid, (by_old - paid_then, by_new));
    new.kill().await;
    Ok(Migrated { tally, versions, took, waited_ms, meanwhile, after })
}

/// Stops a service, which must exit with 0 and in time.
async fn end(host: &Host) -> Result<()> {
    match host.terminate(STOP_TIMEOUT).await {
        Some(status) if status.success() => Ok(()),
        other => Err(failed(format!("after SIGTERM a service ended with {other:?}"))),
    }
}

/// Runs a command of `binary`, which must succeed.
async fn command(arena: &Arena, binary: &Path, args: &[&str]) -> Result<()> {
    printed(&daybook(binary, &arena.folder, &arena.cluster.url(), args).await?).map(drop)
}

/// Returns the version of the newest applied migration.
async fn version(database: &Database) -> Result<i32> {
    Ok(database.query_one(VERSION, &[]).await?.try_get(0)?)
}

/// Polls the longest wait for a lock.
struct Waits {
    stop: Arc<AtomicBool>,
    longest_ms: Arc<AtomicI64>,
}

impl Waits {
    fn watch(database: Database) -> Self {
        let (stop, longest_ms) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicI64::new(0)));
        let (is_over, longest) = (Arc::clone(&stop), Arc::clone(&longest_ms));
        tokio::spawn(async move {
            while !is_over.load(Ordering::Relaxed) {
                // A failed query counts as an infinite wait.
                let waits = database.query_one(WAITS, &[]).await.and_then(|row| row.try_get(0));
                longest.fetch_max(waits.unwrap_or(i64::MAX), Ordering::Relaxed);
                sleep(POLL_INTERVAL).await;
            }
        });
        Self { stop, longest_ms }
    }

    /// Returns the longest wait since the previous call.
    fn longest(&self) -> i64 {
        self.longest_ms.swap(0, Ordering::Relaxed)
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
