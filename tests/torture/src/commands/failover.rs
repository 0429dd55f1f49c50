//! `daybook-torture failover`: kills the primary under load and promotes its standby; the service continues on the
//! standby.
//!
//! The service knows both servers by a URL with two hosts. With a synchronous standby no acknowledged write is lost.
//! With an asynchronous standby, which is held back on purpose, all losses are counted exactly, the process that has
//! seen the lost commits ends, and the next process continues on the remaining log. The old primary returns only as a
//! new standby: it is fenced.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use daybook_random::Random;
use tokio::time::{Instant, sleep};

use crate::arena::Arena;
use crate::cluster::Cluster;
use crate::error::{Result, failed};
use crate::payments::{Payers, Payment};
use crate::proxy::Rule;
use crate::stage::{Plan, Stage, Watchdog, folder};
use crate::standby::{self, Standby};
use crate::tally::{self, Tally};

/// Number of payers.
const PAYERS: u64 = 8;
/// Duration of the load before the primary is killed, in milliseconds: minimum and random addition.
const LOAD_MS: (u64, u64) = (300, 900);
/// Time for which data to an asynchronous standby are held back.
const REPLICATION_DELAY: Duration = Duration::from_millis(700);
/// Number of payments that have to be acknowledged after a fail-over (first constant), and the timeout for them.
const PAYMENTS_AFTER: usize = 20;
const FAILOVER_TIMEOUT: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Options of `failover`.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Path of the binary `daybook`.
    #[arg(long)]
    pub binary: PathBuf,
    /// Number of fail-overs.
    #[arg(long, default_value_t = 50)]
    pub times: u64,
    /// Use an asynchronous standby: commits do not wait for it, and it is held back.
    #[arg(long)]
    pub asynchronous: bool,
    /// Seed of the load.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Folder for results.
    #[arg(long, default_value = "target/torture/failover")]
    pub out: PathBuf,
}

/// Results of all fail-overs.
#[derive(Default)]
struct Sum {
    tally: Tally,
    gaps: Vec<Duration>,
    restarts: u64,
    /// Difference between the losses by transaction ids and by idempotency keys; must be 0.
    miscounted: u64,
}

/// Makes the fail-overs, compares payments with the log, and prints the results.
pub async fn run(options: Options) -> Result<ExitCode> {
    let folders = [folder()?, folder()?];
    let _watchdog = Watchdog::over(&folders[1])?;
    let cluster = Cluster::start(&folders[0], &[]).await?;
    let plan = Plan { database_url: Some(url(&folders)), ..Plan::plain(&options.binary, &options.out) };
    let mut stage = Stage::set_on(cluster, &plan).await?;
    let mut random = Random::fork(options.seed, "failover");
    let mut sum = Sum::default();
    for time in 1..=options.times {
        let spare = folders[usize::from(stage.arena.cluster.folder() == folders[0])].clone();
        one(&mut stage.arena, &spare, time, &options, &mut random, &mut sum).await?;
    }
    let verified = stage.arena.daybook(&["log", "verify", "--json"]).await?;
    sum.tell(&options);
    println!("log verify: {}", verified.status);
    stage.arena.hosts[0].kill().await;
    stage.arena.cluster.kill().await?;
    let is_kept = sum.tally.surplus == 0 && sum.miscounted == 0 && verified.status.success();
    let is_well = is_kept && (options.asynchronous || sum.tally.lost.is_empty());
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Makes one fail-over, from the server of `arena` to a standby in `spare`.
async fn one(
    arena: &mut Arena,
    spare: &Path,
    time: u64,
    options: &Options,
    random: &mut Random,
    sum: &mut Sum,
) -> Result<()> {
    let standby = Standby::of(&arena.cluster, spare).await?;
    let waits_for = if options.asynchronous { String::new() } else { format!("FIRST 1 ({})", standby::NAME) };
    wait_for(&arena.cluster, &waits_for).await?;
    let before = tally::count(&arena.cluster.connect().await?).await?;
    let payers =
        Payers::start(&arena.world, arena.hosts[0].address, (&format!("f{time}"), PAYERS), options.seed);
    sleep(Duration::from_millis(LOAD_MS.0 + random.below_u64(LOAD_MS.1))).await;
    if options.asynchronous {
        standby.way.set(Rule::BlackHole);
        sleep(REPLICATION_DELAY).await;
    }
    let killed = Instant::now();
    arena.cluster.kill().await?;
    standby.way.set(Rule::Cut);
    arena.cluster = standby.promote(&[]).await?;
    // Commits must not wait for a standby until there is a new one.
    wait_for(&arena.cluster, "").await?;
    sum.restarts += go_on(arena, &payers).await?;
    let payments = payers.stop().await;
    let acknowledged = payments.iter().filter(|payment| payment.id.is_some());
    sum.gaps.extend(acknowledged.filter(|it| it.at - it.took > killed).map(|it| it.at - killed).min());
    let database = arena.cluster.connect().await?;
    let mut tally = Tally::of(&payments, &database).await?;
    sum.miscounted += miscounted(&tally, &payments, &database).await?;
    tally.resolve(&payments, &arena.world, arena.hosts[0].address, (&database, before)).await?;
    println!("fail-over {time}: {tally}");
    sum.tally.add(tally);
    Ok(())
}

/// Waits until payments are acknowledged again. Restarts the service if it ended; returns the number of restarts.
async fn go_on(arena: &Arena, payers: &Payers) -> Result<u64> {
    let (before, deadline) = (payers.acknowledged(), Instant::now() + FAILOVER_TIMEOUT);
    let mut restarts = 0;
    while payers.acknowledged() < before + PAYMENTS_AFTER {
        if Instant::now() > deadline {
            return Err(failed("nothing is acknowledged after the fail-over"));
        }
        if arena.hosts[0].has_ended().await {
            arena.hosts[0].start().await?;
            restarts += 1;
        }
        sleep(POLL_INTERVAL).await;
    }
    Ok(restarts)
}

/// Makes every commit wait for `standby`, which must be connected; "" for none.
async fn wait_for(cluster: &Cluster, standby: &str) -> Result<()> {
    let database = cluster.connect().await?;
    // The statements themselves must not wait for the standby.
    database.batch_execute("set synchronous_commit = local").await?;
    database.batch_execute(&format!("alter system set synchronous_standby_names = '{standby}'")).await?;
    database.batch_execute("select pg_reload_conf()").await?;
    let deadline = Instant::now() + FAILOVER_TIMEOUT;
    let state = "select count(*) from pg_stat_replication where sync_state = 'sync'";
    while !standby.is_empty() && database.query_one(state, &[]).await?.get::<_, i64>(0) == 0 {
        if Instant::now() > deadline {
            return Err(failed("the standby does not become synchronous"));
        }
        sleep(POLL_INTERVAL).await;
    }
    Ok(())
}

/// Returns the difference between two counts of lost payments: by the ids of acknowledged transactions, and by the
/// idempotency keys in the database.
async fn miscounted(tally: &Tally, payments: &[Payment], database: &tokio_postgres::Client) -> Result<u64> {
    let rows = database.query("select object::text from idempotency where object is not null", &[]).await?;
    let used: HashSet<String> = rows.iter().map(|row| row.get(0)).collect();
    let acknowledged = payments.iter().filter_map(|payment| tally::id_of(payment.id.as_deref()?));
    let without_key = acknowledged.filter(|id| !used.contains(id)).count();
    Ok(without_key.abs_diff(tally.lost.len()) as u64)
}

/// Returns a database URL that finds the server which accepts writes.
fn url(folders: &[PathBuf; 2]) -> String {
    let [a, b] = folders.each_ref().map(|folder| folder.join("socket").display().to_string());
    format!("host={a},{b} port=5432,5432 user=daybook dbname=daybook target_session_attrs=read-write")
}

impl Sum {
    fn tell(&self, options: &Options) {
        let mut gaps: Vec<u128> = self.gaps.iter().map(Duration::as_millis).collect();
        gaps.sort_unstable();
        let (p50, max) = (gaps.get(gaps.len() / 2), gaps.last());
        println!(
            "{} fail-overs {}",
            if options.asynchronous { "asynchronous" } else { "synchronous" },
            options.times
        );
        println!("seed {}", options.seed);
        println!("{}", self.tally);
        println!("lost by id and by key differ by {}", self.miscounted);
        println!("service started again {}", self.restarts);
        println!("gap until the first acknowledged write, ms: p50 {p50:?}, max {max:?}");
    }
}
