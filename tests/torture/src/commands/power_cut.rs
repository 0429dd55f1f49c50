//! `daybook-torture power-cut`: the power is cut under load, again and again; what was acknowledged is on the disk.
//!
//! kill -9 loses nothing, for the operating system keeps what was written. So the disk is an image: all processes of
//! PostgreSQL are stopped, the image is copied, and PostgreSQL goes on with the copy. The controls turn off what makes a
//! commit wait for the disk, and must lose: `fsync` under the running service, which refuses to start with it off;
//! `synchronous_commit` for rows that the harness writes itself, for the service sets it in its own sessions.

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

/// How large the disk is.
const DISK_MB: u64 = 1_024;
/// How many payers there are.
const PAYERS: u64 = 16;
/// How long payers pay before a cut, at least and beyond that.
const LOAD_MS: (u64, u64) = (500, 1_500);
/// How long what was answered may be on its way to the payers when everything else stands still.
const ON_ITS_WAY: Duration = Duration::from_millis(50);
/// How long a server may take to start on what is left; one without its files does not.
const RECOVERY: Duration = Duration::from_mins(1);
/// A small log, so that a copy is quick; checkpoints by time alone.
const SETTINGS: [(&str, &str); 2] = [("max_wal_size", "256MB"), ("min_wal_size", "80MB")];

/// What is turned off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Control {
    /// `fsync`.
    Fsync,
    /// `synchronous_commit`.
    SynchronousCommit,
}

/// Options of `power-cut`.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// The binary `daybook`.
    #[arg(long)]
    pub binary: PathBuf,
    /// How often the power is cut.
    #[arg(long, default_value_t = 50)]
    pub cuts: u64,
    /// What follows from it: how long each load lasts, and who pays whom.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Turns something off, once; something must be lost then.
    #[arg(long)]
    pub control: Option<Control>,
    /// Folder for what is told.
    #[arg(long, default_value = "target/torture/power-cut")]
    pub out: PathBuf,
}

/// Cuts, compares and tells.
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
    // Keys are as safe as their owner keeps them; here that is not what is looked at.
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

/// Lets payers pay, cuts the power, and starts the server on what is left: what was paid, and whether the server started.
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
    sleep(ON_ITS_WAY).await;
    arena.hosts[0].kill().await;
    let payments = payers.stop().await;
    arena.cluster.kill().await?;
    disk.replace(&copy)?;
    let resumed = timeout(RECOVERY, arena.cluster.resume()).await;
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
            println!("the server does not come up again: {error}");
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
