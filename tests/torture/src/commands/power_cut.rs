//! `daybook-torture power-cut`: cuts the power under load; every acknowledged write must be on the disk.
//!
//! `kill -9` loses nothing, because the operating system keeps written data. So the disk is an image: all processes of
//! PostgreSQL are stopped, the image is copied, and PostgreSQL continues on the copy. The negative controls turn off a
//! setting that makes commits wait for the disk, and must lose writes: `fsync` under the running service, because the
//! service refuses to start without it; `synchronous_commit` for rows that the harness writes itself, because the
//! service sets it in its own sessions.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use daybook_random::Random;
use nix::sys::signal::Signal;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::arena::Arena;
use crate::cluster::Cluster;
use crate::disk::Disk;
use crate::error::{Result, failed};
use crate::payments::{Payers, Payment};
use crate::stage::{self, Plan, Stage};
use crate::tally::{self, Tally};

/// Size of the disk, in MiB.
const DISK_MB: u64 = 1_024;
/// Number of payers.
const PAYERS: u64 = 16;
/// Duration of the load before a cut, in milliseconds: minimum and random addition.
const LOAD_MS: (u64, u64) = (500, 1_500);
/// Time for sent answers to reach the payers after the server was stopped.
const IN_FLIGHT_DURATION: Duration = Duration::from_millis(50);
/// Timeout for a server to start on the remaining data. A server that lost its files does not start.
const RECOVERY_TIMEOUT: Duration = Duration::from_mins(1);
/// Settings of PostgreSQL: a small log, so that a copy is quick, and no checkpoints by size.
const SETTINGS: [(&str, &str); 2] = [("max_wal_size", "256MB"), ("min_wal_size", "80MB")];

/// Setting that a control turns off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Control {
    /// The setting `fsync`.
    Fsync,
    /// The setting `synchronous_commit`.
    SynchronousCommit,
}

/// Options of `power-cut`.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Path of the binary `daybook`.
    #[arg(long)]
    pub binary: PathBuf,
    /// Number of power cuts.
    #[arg(long, default_value_t = 50)]
    pub cuts: u64,
    /// Seed of the load.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Make one cut with this setting off; the control succeeds if writes are lost.
    #[arg(long)]
    pub control: Option<Control>,
    /// Folder for results.
    #[arg(long, default_value = "target/torture/power-cut")]
    pub out: PathBuf,
}

/// Cuts the power, compares payments with the log, and prints the results.
pub async fn run(options: Options) -> Result<ExitCode> {
    let folder = stage::folder()?;
    let disk = Disk::make(&folder, "disk", DISK_MB)?;
    let done = match options.control {
        None => cuts(&disk, &options).await,
        Some(Control::Fsync) => without_fsync(&disk, &options).await,
        Some(Control::SynchronousCommit) => without_synchronous_commit(&disk, options.seed).await,
    };
    drop(disk);
    let _ = std::fs::remove_dir_all(&folder);
    done
}

async fn stage(disk: &Disk, options: &Options) -> Result<Stage> {
    let cluster = Cluster::start(&disk.path().join("data"), &SETTINGS).await?;
    let plan = Plan::plain(&options.binary, &options.out);
    let stage = Stage::set_on(cluster, &plan).await?;
    // The keys of the service must survive the cut; their durability is not tested.
    disk.sync()?;
    Ok(stage)
}

async fn cuts(disk: &Disk, options: &Options) -> Result<ExitCode> {
    let stage = stage(disk, options).await?;
    let arena = &stage.arena;
    let mut random = Random::fork(options.seed, "power-cut");
    let mut all = Tally::default();
    for cut in 1..=options.cuts {
        let before = tally::count(&arena.cluster.connect().await?).await?;
        let (payments, resumed) = one_cut(disk, arena, options.seed, cut, &mut random).await?;
        resumed?;
        let database = arena.cluster.connect().await?;
        let mut tally = Tally::of(&payments, &database).await?;
        arena.hosts[0].start().await?;
        tally.resolve(&payments, &arena.world, arena.hosts[0].address, (&database, before)).await?;
        println!("cut {cut}: {tally}");
        all.add(tally);
    }
    let verified = arena.daybook(&["log", "verify", "--json"]).await?;
    println!("cuts {}", options.cuts);
    println!("seed {}", options.seed);
    println!("{all}");
    println!("log verify: {}", verified.status);
    arena.cluster.kill().await?;
    Ok(if all.is_clean() && verified.status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs payers, cuts the power, and starts the server on the remaining data. Returns the payments, and the result of
/// the start.
async fn one_cut(
    disk: &Disk,
    arena: &Arena,
    seed: u64,
    cut: u64,
    random: &mut Random,
) -> Result<(Vec<Payment>, Result<()>)> {
    let payers = Payers::start(&arena.world, arena.hosts[0].address, (&format!("c{cut}"), PAYERS), seed);
    sleep(Duration::from_millis(LOAD_MS.0 + random.below_u64(LOAD_MS.1))).await;
    arena.cluster.signal(Signal::SIGSTOP);
    let copy = disk.snapshot()?;
    sleep(IN_FLIGHT_DURATION).await;
    arena.hosts[0].kill().await;
    let payments = payers.stop().await;
    arena.cluster.kill().await?;
    disk.replace(&copy)?;
    let resumed = timeout(RECOVERY_TIMEOUT, arena.cluster.resume()).await;
    Ok((payments, resumed.map_err(failed).flatten()))
}

async fn without_fsync(disk: &Disk, options: &Options) -> Result<ExitCode> {
    let stage = stage(disk, options).await?;
    let arena = &stage.arena;
    let database = arena.cluster.connect().await?;
    database.batch_execute("alter system set fsync = off").await?;
    database.batch_execute("select pg_reload_conf()").await?;
    disk.sync()?;
    let mut random = Random::fork(options.seed, "power-cut");
    let (payments, resumed) = one_cut(disk, arena, options.seed, 1, &mut random).await?;
    let acknowledged = payments.iter().filter(|payment| payment.id.is_some()).count();
    let lost = match resumed {
        Ok(()) => Tally::of(&payments, &arena.cluster.connect().await?).await?.lost.len(),
        Err(error) => {
            println!("the server does not start again: {error}");
            acknowledged
        }
    };
    println!("control fsync=off: {acknowledged} acknowledged, {lost} lost");
    arena.cluster.kill().await?;
    Ok(if lost > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn without_synchronous_commit(disk: &Disk, seed: u64) -> Result<ExitCode> {
    let cluster = Cluster::start(&disk.path().join("data"), &SETTINGS).await?;
    let database = cluster.connect().await?;
    database.batch_execute("create table paid (number bigint primary key)").await?;
    disk.sync()?;
    let mut writers = JoinSet::new();
    for writer in 0..PAYERS {
        let client = cluster.connect().await?;
        client.batch_execute("set synchronous_commit = off").await?;
        writers.spawn(async move {
            let mut acknowledged = vec![];
            for number in 0_i64.. {
                let number = number * 100 + i64::try_from(writer).unwrap_or_default();
                if client.execute("insert into paid values ($1)", &[&number]).await.is_err() {
                    break;
                }
                acknowledged.push(number);
            }
            acknowledged
        });
    }
    sleep(Duration::from_millis(LOAD_MS.0 + Random::fork(seed, "control").below_u64(LOAD_MS.1))).await;
    cluster.signal(Signal::SIGSTOP);
    let copy = disk.snapshot()?;
    cluster.kill().await?;
    let acknowledged = writers.join_all().await.concat();
    disk.replace(&copy)?;
    cluster.resume().await?;
    let rows = cluster.connect().await?.query("select number from paid", &[]).await?;
    let there: std::collections::HashSet<i64> = rows.iter().map(|row| row.get(0)).collect();
    let lost = acknowledged.iter().filter(|number| !there.contains(number)).count();
    println!("control synchronous_commit=off: {} acknowledged, {lost} lost", acknowledged.len());
    cluster.kill().await?;
    Ok(if lost > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
