//! `daybook-torture disk-full`: fills a disk to the last byte under load, and empties it a while later. Alternates
//! between the disk of the data and the disk of the write-ahead log.
//!
//! Without space for data PostgreSQL refuses statements and continues to run. Without space for its log it panics, and
//! cannot start until there is space: the harness tries to start it repeatedly, as an init system would. The harness
//! skips the rest of existing log segments (`pg_switch_wal`); otherwise it would take minutes until the server needs a
//! new segment.

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

use clap::Args;
use hyper::Method;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use crate::arena::Arena;
use crate::client::{Call, Client};
use crate::cluster::Cluster;
use crate::disk::Disk;
use crate::error::{Result, failed};
use crate::payments::Payers;
use crate::stage::{self, Plan, Stage};
use crate::tally::{self, Tally};

/// Size of each disk, in MiB.
const DISK_MB: u64 = 300;
/// Number of payers.
const PAYERS: u64 = 16;
/// Duration of the load before and after a fill (first constant), and of the fill.
const LOAD_DURATION: Duration = Duration::from_secs(1);
const FULL_DURATION: Duration = Duration::from_secs(6);
/// Timeout for the first acknowledgement after the disk is emptied.
const RECOVERY_TIMEOUT: Duration = Duration::from_mins(1);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Timeout of a switch to another segment.
const SEGMENT_SWITCH_TIMEOUT: Duration = Duration::from_secs(1);
/// Settings of PostgreSQL: a log that fits on its disk, in files that are always created anew.
const SETTINGS: [(&str, &str); 5] = [
    ("max_wal_size", "64MB"),
    ("min_wal_size", "32MB"),
    ("wal_recycle", "off"),
    // Together with small buffers, so that rows need space on the disk sooner.
    ("shared_buffers", "16MB"),
    ("autovacuum", "off"),
];

/// Options of `disk-full`.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Path of the binary `daybook`.
    #[arg(long)]
    pub binary: PathBuf,
    /// Number of fills.
    #[arg(long, default_value_t = 10)]
    pub fills: u64,
    /// Seed of the payments.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Folder for results.
    #[arg(long, default_value = "target/torture/disk-full")]
    pub out: PathBuf,
}

/// Results of all fills.
#[derive(Default)]
struct Sum {
    tally: Tally,
    /// Number of fills that payers noticed.
    noticed: u64,
    /// Number of fills in which PostgreSQL panicked.
    panicked: u64,
    /// Results of reads while a disk was full.
    reads: Reads,
    /// Time from the emptying of the disk to the first acknowledgement, for each fill.
    healed: Vec<Duration>,
}

/// Results of reads.
#[derive(Default)]
struct Reads {
    answered: u64,
    /// Reads that were answered with 503 and Retry-After.
    put_off: u64,
    /// Any other answer.
    wrong: Vec<String>,
}

/// Fills the disks, compares payments with the log, and prints the results.
pub async fn run(options: Options) -> Result<ExitCode> {
    let folder = stage::folder()?;
    let disks = [Disk::make(&folder, "data", DISK_MB)?, Disk::make(&folder, "wal", DISK_MB)?];
    let cluster = Cluster::start(&disks[0].path().join("data"), &SETTINGS).await?;
    put_log_apart(&cluster, &disks[1]).await?;
    let stage = Stage::set_on(cluster, &Plan::plain(&options.binary, &options.out)).await?;
    let mut sum = Sum::default();
    for fill in 1..=options.fills {
        let which = usize::from(fill % 2 == 0);
        one(&stage.arena, &disks[which], (fill, ["data", "wal"][which]), options.seed, &mut sum).await?;
    }
    let verified = stage.arena.daybook(&["log", "verify", "--json"]).await?;
    let mut healed: Vec<u128> = sum.healed.iter().map(Duration::as_millis).collect();
    healed.sort_unstable();
    println!(
        "fills {}, noticed by payers {}, PostgreSQL panicked at {}",
        options.fills, sum.noticed, sum.panicked
    );
    println!("seed {}", options.seed);
    println!("{}", sum.tally);
    let Reads { answered, put_off, wrong } = &sum.reads;
    println!(
        "reads while a disk was full: {answered} answered, {put_off} 503 with Retry-After, else {wrong:?}"
    );
    println!("healed after, ms: p50 {:?}, max {:?}", healed.get(healed.len() / 2), healed.last());
    println!("log verify: {}", verified.status);
    stage.arena.hosts[0].kill().await;
    stage.arena.cluster.kill().await?;
    drop((stage, disks));
    let _ = std::fs::remove_dir_all(&folder);
    // Every second fill is of the write-ahead log.
    let is_met = sum.noticed == options.fills && sum.panicked == options.fills / 2;
    let is_well = sum.tally.is_clean() && is_met && sum.reads.wrong.is_empty() && verified.status.success();
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Moves the write-ahead log to a disk of its own.
async fn put_log_apart(cluster: &Cluster, disk: &Disk) -> Result<()> {
    cluster.stop_at_once().await?;
    let (from, to) = (cluster.folder().join("postgres/pg_wal"), disk.path().join("pg_wal"));
    let mut mv = Command::new("cp");
    if !mv.arg("-a").arg(&from).arg(&to).status()?.success() {
        return Err(failed("the write-ahead log cannot be copied"));
    }
    std::fs::remove_dir_all(&from)?;
    std::os::unix::fs::symlink(&to, &from)?;
    cluster.resume().await
}

async fn one(arena: &Arena, disk: &Disk, (fill, of): (u64, &str), seed: u64, sum: &mut Sum) -> Result<()> {
    let before = tally::count(&arena.cluster.connect().await?).await?;
    let payers = Payers::start(&arena.world, arena.hosts[0].address, (&format!("d{fill}"), PAYERS), seed);
    sleep(LOAD_DURATION).await;
    disk.fill()?;
    let full = Instant::now();
    let panics_before = panics(arena)?;
    while full.elapsed() < FULL_DURATION {
        read(arena, &mut sum.reads).await;
        if of == "wal" {
            let _ = timeout(SEGMENT_SWITCH_TIMEOUT, pass_segment(arena)).await;
            // A starting server removes segments; the freed space is filled again.
            disk.fill()?;
        }
        restart(arena).await;
        sleep(POLL_INTERVAL).await;
    }
    sum.panicked += u64::from(panics(arena)? > panics_before);
    let (empty, acknowledged) = (Instant::now(), payers.acknowledged());
    disk.empty()?;
    while payers.acknowledged() == acknowledged {
        if empty.elapsed() > RECOVERY_TIMEOUT {
            return Err(failed("nothing is acknowledged although there is room again"));
        }
        restart(arena).await;
        sleep(POLL_INTERVAL).await;
    }
    let healed = empty.elapsed();
    sum.healed.push(healed);
    sleep(LOAD_DURATION).await;
    let payments = payers.stop().await;
    sum.noticed += u64::from(payments.iter().any(|payment| payment.id.is_none()));
    let database = arena.cluster.connect().await?;
    let mut tally = Tally::of(&payments, &database).await?;
    tally.resolve(&payments, &arena.world, arena.hosts[0].address, (&database, before)).await?;
    println!("fill {fill} of {of}: {tally}, healed after {} ms", healed.as_millis());
    sum.tally.add(tally);
    Ok(())
}

/// Starts the server if it has ended. The start may fail.
async fn restart(arena: &Arena) {
    if arena.cluster.pids().is_empty() {
        let _ = timeout(POLL_INTERVAL * 40, arena.cluster.resume()).await;
    }
}

/// Skips the rest of the current segment of the write-ahead log.
async fn pass_segment(arena: &Arena) -> Result<()> {
    Ok(arena.cluster.connect().await?.batch_execute("select pg_switch_wal()").await?)
}

/// Returns the number of panics in the server's log.
fn panics(arena: &Arena) -> Result<usize> {
    let log = std::fs::read(arena.cluster.folder().join("postgres.log"))?;
    Ok(String::from_utf8_lossy(&log).matches("PANIC:").count())
}

/// Reads a balance.
async fn read(arena: &Arena, reads: &mut Reads) {
    let user = &arena.world.users[0];
    let path = format!("/v3.1/users/{}/nodes/{}", user.id, user.nodes[0]);
    let call = Call { method: Method::GET, path, headers: user.headers(), body: Value::Null };
    let mut client = Client::new(arena.hosts[0].address, Duration::from_secs(8));
    match client.send(&call).await {
        Ok(answer) if answer.status == 200 => reads.answered += 1,
        Ok(answer) if answer.status == 503 && answer.headers.contains_key("retry-after") => {
            reads.put_off += 1;
        }
        other => reads.wrong.push(format!("{other:?}")),
    }
}
