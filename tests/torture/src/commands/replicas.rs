//! `daybook-torture replicas`: writes through one service and reads through another one that answers from a standby,
//! pair after pair. The standby is slowed down and let go in turn. No answer may be older than the write before it.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use clap::Args;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::client::Client;
use crate::cluster::{Cluster, connect};
use crate::error::{Result, failed};
use crate::pairs::{Pairs, Worker};
use crate::service::Host;
use crate::stage::{Plan, Stage, Watchdog, folder};
use crate::standby::Standby;

/// Timeout of an answer.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(8);
/// Time for which each delay of the standby holds.
const DELAY_INTERVAL: Duration = Duration::from_secs(5);
/// Interval between two lines about the progress.
const PROGRESS_INTERVAL: Duration = Duration::from_mins(1);

/// Options of `replicas`.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Path of the binary `daybook`.
    #[arg(long)]
    pub binary: PathBuf,
    /// Number of pairs of a write and a read.
    #[arg(long, default_value_t = 1_000_000)]
    pub pairs: u64,
    /// Number of pairs at the same time; each has two nodes of its own.
    #[arg(long, default_value_t = 32)]
    pub workers: usize,
    /// Delays of the standby, in milliseconds, in turn; separated by commas.
    #[arg(long, value_delimiter = ',', default_values_t = [0, 200, 20])]
    pub delays_ms: Vec<u64>,
    /// Number of standbys.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=4))]
    pub standbys: u8,
    /// Number of reads after each write.
    #[arg(long, default_value_t = 1)]
    pub reads: u64,
    /// Folder for results.
    #[arg(long, default_value = "target/torture/replicas")]
    pub out: PathBuf,
}

/// Makes the pairs and prints the result; fails if any answer was stale.
pub async fn run(options: Options) -> Result<ExitCode> {
    let plan = Plan {
        nodes: options.workers.div_ceil(2).max(2),
        settle_after: Duration::from_hours(24),
        args: ["--rate-per-address", "--rate-per-platform", "--rate-per-user"]
            .iter()
            .flat_map(|rate| [(*rate).to_owned(), "0".to_owned()])
            .collect(),
        ..Plan::plain(&options.binary, &options.out)
    };
    let primary = Cluster::start(&folder()?, &[]).await?;
    let stage = Stage::set_on(primary, &plan).await?;
    let mut standbys = vec![];
    for _ in 0..options.standbys {
        let folder = folder()?;
        standbys.push((Watchdog::over(&folder)?, Standby::of(&stage.arena.cluster, &folder).await?));
    }
    let urls: Vec<String> = standbys.iter().map(|(_, standby)| standby.url()).collect();
    let (reader, metrics) = stage.arena.hosts[0].reading_from("reader", &urls)?;
    reader.start().await?;
    let delaying = tokio::spawn(delay(urls.clone(), options.delays_ms.clone()));
    let (began, before) = (Instant::now(), stage.arena.cluster.processor_time());
    let pairs = make(&options, &stage, &reader).await?;
    let primary_cpu = stage.arena.cluster.processor_time().saturating_sub(before);
    delaying.abort();
    tell(&options, &pairs, (began.elapsed(), primary_cpu), &reads(metrics).await?);
    reader.kill().await;
    Ok(if pairs.stale() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs the workers until all pairs are made.
async fn make(options: &Options, stage: &Stage, reader: &Host) -> Result<Pairs> {
    let (left, writer) = (Arc::new(AtomicU64::new(options.pairs)), stage.arena.hosts[0].address);
    let (mut workers, mut pairs) = (JoinSet::new(), Pairs::default());
    for number in 0..options.workers {
        let clients = [writer, reader.address].map(|address| Client::new(address, RESPONSE_TIMEOUT));
        let worker = Worker::new(&stage.arena.world, number, clients, options.reads);
        workers.spawn(worker.work(Arc::clone(&left)));
    }
    let telling = tokio::spawn(progress(Arc::clone(&left), options.pairs));
    while let Some(done) = workers.join_next().await {
        pairs.add(done.map_err(failed)?);
    }
    telling.abort();
    Ok(pairs)
}

async fn progress(left: Arc<AtomicU64>, all: u64) {
    loop {
        sleep(PROGRESS_INTERVAL).await;
        println!("{} of {all} pairs", all.saturating_sub(left.load(Ordering::Relaxed)));
    }
}

/// Sets the delays of all standbys in turn.
async fn delay(urls: Vec<String>, delays_ms: Vec<u64>) {
    for delay_ms in delays_ms.iter().cycle() {
        for url in &urls {
            let set = async {
                let standby = connect(url).await?;
                let sql = format!("alter system set recovery_min_apply_delay = '{delay_ms}ms'");
                standby.batch_execute(&sql).await?;
                Ok::<_, crate::error::Error>(standby.batch_execute("select pg_reload_conf()").await?)
            };
            if let Err(error) = set.await {
                println!("the delay of a standby cannot be set: {error}");
            }
        }
        sleep(DELAY_INTERVAL).await;
    }
}

/// Returns the reads of the service by the server that answered, from its metrics.
async fn reads(metrics: SocketAddr) -> Result<BTreeMap<String, u64>> {
    let text = Client::new(metrics, RESPONSE_TIMEOUT)
        .page("/metrics")
        .await
        .map_err(|lost| failed(format!("{lost:?}")))?;
    let reads = text.lines().filter_map(|line| {
        let (how, count) =
            line.strip_prefix("daybook_replica_reads_total{answered=\"")?.split_once("\"} ")?;
        Some((how.to_owned(), count.trim().parse().ok()?))
    });
    Ok(reads.collect())
}

fn tell(
    options: &Options,
    pairs: &Pairs,
    (took, primary_cpu): (Duration, Duration),
    answered: &BTreeMap<String, u64>,
) {
    let reads: u64 = answered.values().sum();
    println!("{} pairs with {} standbys, delays {:?} ms", pairs.made, options.standbys, options.delays_ms);
    println!("stale {}, without an answer {}, {:.0} s", pairs.stale(), pairs.unanswered, took.as_secs_f64());
    println!("lists that say that the read models are behind {}", pairs.told);
    for (kind, stale) in &pairs.stale_by_kind {
        println!("  stale {kind}: {stale}");
    }
    for (how, count) in answered {
        println!("  {how}: {count} of {reads} reads of the database");
    }
    let per_read_us = primary_cpu.as_micros() / u128::from(pairs.reads.max(1));
    println!("{} reads; primary: {per_read_us} µs of processor time for each", pairs.reads);
    let [p50, p99] = [50, 99].map(|percent| pairs.read_time(percent).as_micros());
    println!("time of a read: p50 {p50} µs, p99 {p99} µs");
}
