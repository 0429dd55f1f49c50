//! `daybook-torture run`: runs workloads under faults, then waits for rest, reads everything, and runs the checks.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use clap::{Args, Parser};
use daybook_random::Random;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::arena::Arena;
use crate::balancer::Balancer;
use crate::check::{self, Report};
use crate::desk;
use crate::error::{Result, failed};
use crate::history::Line;
use crate::nemesis;
use crate::quiet;
use crate::stage::{Plan, Stage};
use crate::workload::{self, Shared, work};

/// Options of `run`. If an option is given twice, the later value applies, so that `just torture` can append options.
#[derive(Clone, Debug, Args)]
#[command(args_override_self = true)]
pub struct Options {
    /// Path of the binary `daybook`; for aimed kills built with `--features failpoints`.
    #[arg(long)]
    pub binary: PathBuf,
    /// Number of services on the database.
    #[arg(long, default_value_t = 1)]
    pub api: usize,
    /// Workloads, which run at the same time.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "bank,hot,one-key,lists,comments,fees,strangers,statements"
    )]
    pub workload: Vec<String>,
    /// Kinds of faults, of which one after the other is chosen at random; empty for none.
    #[arg(long, value_delimiter = ',', default_value = "api-kill,api-kill-aimed")]
    pub nemesis: Vec<String>,
    /// Mean time between the end of a fault and the next one, in milliseconds.
    #[arg(long, default_value_t = 1_000)]
    pub interval_ms: u64,
    /// Maximum duration of workload and faults, in seconds; by default as long as `faults` and `operations` take, or 30
    /// s.
    #[arg(long)]
    pub duration_s: Option<u64>,
    /// Maximum number of faults; by default as many as the duration allows.
    #[arg(long)]
    pub faults: Option<u64>,
    /// Maximum number of operations; by default as many as the duration allows.
    #[arg(long, default_value_t = i64::MAX)]
    pub operations: i64,
    /// Maximum number of operations per second.
    #[arg(long, default_value_t = 400)]
    pub rate: u64,
    /// Number of workers.
    #[arg(long, default_value_t = 16)]
    pub threads: u64,
    /// Number of nodes of each of the four users.
    #[arg(long, default_value_t = 2)]
    pub nodes: usize,
    /// Time after which a transaction settles, in milliseconds.
    #[arg(long, default_value_t = 1_000)]
    pub settle_after_ms: u64,
    /// Number of past positions at which read models are reconciled at the end.
    #[arg(long, default_value_t = 10)]
    pub past: u64,
    /// Seed of faults and operations.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Folder for the history and all other data that are checked.
    #[arg(long, default_value = "target/torture")]
    pub out: PathBuf,
    /// Environment variable of the services, as NAME=VALUE; may be given several times.
    #[arg(long)]
    pub env: Vec<String>,
}

impl Options {
    /// Returns the default options for a binary.
    pub fn of(binary: &Path) -> Option<Self> {
        /// A command line that has only these options.
        #[derive(Parser)]
        struct Alone {
            #[command(flatten)]
            options: Options,
        }
        Alone::try_parse_from(["run", "--binary", binary.to_str()?]).ok().map(|alone| alone.options)
    }

    /// Returns the maximum duration of workload and faults: many years if only `faults` or `operations` limit the run.
    fn duration(&self) -> Duration {
        let is_bounded = self.faults.is_some() || self.operations < i64::MAX;
        Duration::from_secs(self.duration_s.unwrap_or(if is_bounded { u32::MAX.into() } else { 30 }))
    }

    /// Returns true if operators work on the statements of a bank, beside the workers.
    fn has_desk(&self) -> bool {
        self.workload.iter().any(|name| name == desk::NAME)
    }

    fn plan(&self) -> Result<Plan> {
        let pair = |text: &String| {
            let (name, value) = text.split_once('=').ok_or_else(|| failed("--env NAME=VALUE"))?;
            Ok((name.to_owned(), value.to_owned()))
        };
        Ok(Plan {
            binary: self.binary.clone(),
            out: self.out.clone(),
            hosts: self.api,
            nodes: self.nodes,
            settle_after: Duration::from_millis(self.settle_after_ms),
            settings: vec![],
            env: self.env.iter().map(pair).collect::<Result<_>>()?,
            args: vec![],
            database_url: None,
            has_desk: self.has_desk(),
            proxied: self.nemesis.iter().any(|name| name.starts_with("net-") || name == "commit-drop"),
        })
    }
}

/// Runs, checks, and prints the report.
pub async fn run(options: Options) -> Result<ExitCode> {
    let report = once(&options).await?;
    report.tell(&options.out)?;
    Ok(report.exit_code())
}

/// Runs and checks.
pub async fn once(options: &Options) -> Result<Report> {
    let stage = Stage::set(&options.plan()?).await?;
    let arena = Arc::new(stage.arena);
    torture(&arena, options).await?;
    quiet::look(&arena, options).await?;
    drop(arena);
    check::check(&options.out)
}

/// Runs workloads and faults within the limits of `options`.
pub async fn torture(arena: &Arc<Arena>, options: &Options) -> Result<()> {
    let every = Duration::from_micros(1_000_000 * options.threads / options.rate.max(1));
    let of_workers: Vec<String> =
        options.workload.iter().filter(|name| *name != desk::NAME).cloned().collect();
    let workloads = workload::named(&of_workers)?;
    let shared = Arc::new(Shared {
        workloads,
        balancer: Balancer::over(arena.hosts.len()),
        every,
        stop: AtomicBool::new(false),
        left: AtomicI64::new(options.operations),
    });
    let mut workers = JoinSet::new();
    if options.has_desk() {
        let (arena, shared, seed) = (Arc::clone(arena), Arc::clone(&shared), options.seed);
        workers.spawn(async move { desk::work(&arena, &shared, seed).await });
    }
    for number in 0..if of_workers.is_empty() { 0 } else { options.threads } {
        let (arena, shared) = (Arc::clone(arena), Arc::clone(&shared));
        let random = Random::fork(options.seed, &format!("worker {number}"));
        workers.spawn(async move { work(number, &arena, &shared, random).await });
    }
    let is_balanced = options.nemesis.iter().any(|name| name == nemesis::ROLLING);
    let watching = is_balanced.then(|| {
        let (arena, shared) = (Arc::clone(arena), Arc::clone(&shared));
        tokio::spawn(async move { shared.balancer.watch(&arena).await })
    });
    let harmed = tokio::select! {
        harmed = harm(arena, options) => harmed,
        () = finished(&shared) => Ok(()),
    };
    nemesis::calm(arena).await?;
    arena.history.write(&Line::Over { at_us: arena.history.now_us() });
    // The workload continues for two seconds, so that recovery can be checked.
    sleep(Duration::from_secs(2)).await;
    shared.stop.store(true, Ordering::Relaxed);
    workers.join_all().await;
    if let Some(watching) = watching {
        watching.abort();
    }
    harmed
}

/// Waits until all operations have been sent.
async fn finished(shared: &Shared) {
    while shared.left.load(Ordering::Relaxed) > 0 {
        sleep(Duration::from_millis(50)).await;
    }
}

/// Injects faults until the time is over or the number of faults is reached.
async fn harm(arena: &Arena, options: &Options) -> Result<()> {
    let nemeses = nemesis::named(&options.nemesis)?;
    let mut random = Random::fork(options.seed, "nemesis");
    let deadline = Instant::now() + options.duration();
    let mut left = options.faults.unwrap_or(u64::MAX);
    while left > 0 && !nemeses.is_empty() {
        let pause = options.interval_ms / 2 + random.below_u64(options.interval_ms.max(1));
        sleep(Duration::from_millis(pause)).await;
        if Instant::now() > deadline {
            return Ok(());
        }
        let (name, nemesis) = random.pick(&nemeses);
        nemesis::strike(name, &**nemesis, arena, &mut random).await?;
        left -= 1;
    }
    if nemeses.is_empty() {
        tokio::time::sleep_until(deadline).await;
    }
    Ok(())
}
