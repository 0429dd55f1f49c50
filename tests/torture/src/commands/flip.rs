//! `daybook-torture flip`: flips a byte on the disk of a stopped ledger, then starts everything and reads it.
//!
//! Each flip must be noticed or harmless. It is noticed if the server or the service does not start, if calls are
//! answered with 503, or if a check reports it. It is harmless if everything that is read and checked is unchanged. A
//! flip in the write-ahead log can end a recovery early: the log is then consistent but shorter, and the anchor must
//! reveal it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Output};
use std::time::Duration;

use clap::Args;
use daybook_random::Random;
use tokio::time::timeout;

use crate::arena::Arena;
use crate::error::{Result, failed};
use crate::flipping::{self, Byte, Disk, KINDS};
use crate::ledger::{self, END, number};
use crate::ops::Asked;
use crate::quiet;
use crate::sight::{Sight, pay, questions};
use crate::stage::{Plan, Stage};

/// Settings of PostgreSQL: small files, because they are copied for each flip, and no automatic checkpoint.
const SETTINGS: [(&str, &str); 5] = [
    ("min_wal_size", "32MB"),
    ("max_wal_size", "1GB"),
    ("wal_recycle", "off"),
    ("autovacuum", "off"),
    ("shared_buffers", "16MB"),
];
/// Timeout for the service to become ready.
const READY_TIMEOUT: Duration = Duration::from_secs(30);
/// Text in the service's log if an anchor has a newer checkpoint than the log.
const ANCHOR: &str = "an anchor has another history";

/// Label of a refusal to start.
const REFUSED: &str = "daybook does not start";

/// Options of `flip`.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Path of the binary `daybook`.
    #[arg(long)]
    pub binary: PathBuf,
    /// Number of flips, one byte each.
    #[arg(long, default_value_t = 100)]
    pub times: usize,
    /// Minimum number of events in the log.
    #[arg(long, default_value_t = 3_000)]
    pub events: i64,
    /// Seed of the flips.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Folder for results.
    #[arg(long, default_value = "target/torture/flip")]
    pub out: PathBuf,
}

/// A ledger at rest: its files, and the view of clients on it.
struct Scene {
    disk: Disk,
    /// Files of a server that was stopped in order, and of a server that has to recover.
    copies: [PathBuf; 2],
    questions: Vec<Asked>,
    before: Sight,
    end: i64,
}

/// Result of a flip: the checks that noticed it, and wrong answers.
#[derive(Default)]
struct Found {
    noticed: Vec<&'static str>,
    wrong: Vec<String>,
}

/// Flips bytes, reads the ledger, and prints the results.
pub async fn run(options: Options) -> Result<ExitCode> {
    let plan = Plan { settings: SETTINGS.to_vec(), ..Plan::plain(&options.binary, &options.out) };
    let stage = Stage::set(&plan).await?;
    let arena = &stage.arena;
    let mut random = Random::fork(options.seed, "flip");
    let scene = Scene::set(arena, &options, &mut random).await?;
    let mut sum: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let mut wrong = 0;
    for copy in &scene.copies {
        flipping::restore(&arena.cluster, copy)?;
        let Found { noticed, wrong } = scene.look(arena, "untouched").await?;
        if !noticed.is_empty() || !wrong.is_empty() {
            return Err(failed(format!("the untouched ledger is not clean: {noticed:?} {wrong:?}")));
        }
    }
    for time in 0..options.times {
        let kind = KINDS[time % KINDS.len()];
        flipping::restore(&arena.cluster, &scene.copies[usize::from(kind == "log")])?;
        let byte: Byte = scene.disk.byte(kind, &mut random);
        flipping::flip(&arena.cluster, &byte, &mut random)?;
        let found = scene.look(arena, &format!("flip-{time}")).await?;
        println!("{byte}: {}", found.told());
        wrong += u64::from(!found.wrong.is_empty());
        let noticed = if found.noticed.is_empty() { &["harmless"][..] } else { found.noticed.as_slice() };
        for by in noticed.iter().chain(&["all"]) {
            *sum.entry((kind, *by)).or_default() += 1;
        }
    }
    println!("flips {}, seed {}", options.times, options.seed);
    for ((kind, by), count) in sum {
        println!("{kind}, {by}: {count}");
    }
    println!("served wrong: {wrong}");
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Scene {
    /// Creates the ledger, reads it, and copies its files.
    async fn set(arena: &Arena, options: &Options, random: &mut Random) -> Result<Self> {
        let database = arena.cluster.connect().await?;
        database.batch_execute("create schema amcheck; create extension amcheck schema amcheck").await?;
        ledger::grow(arena, "a", options.events / 2, options.seed).await?;
        database.batch_execute("checkpoint").await?;
        let payments = ledger::grow(arena, "b", options.events, options.seed).await?;
        quiet::rest(arena).await?.ok_or_else(|| failed("the ledger does not come to rest"))?;
        ledger::covered(arena).await?;
        let questions = questions(&arena.world, &payments, random);
        let before = Sight::of(&arena.world, arena.hosts[0].address, &questions).await;
        if !before.is_whole() {
            return Err(failed("reads fail before the first flip"));
        }
        ledger::close(arena).await?;
        let (disk, end) = (Disk::of(&database).await?, number(&database, END).await?);
        arena.cluster.stop_at_once().await?;
        let crashed = flipping::keep(&arena.cluster, "crashed")?;
        arena.cluster.resume().await?;
        arena.cluster.stop().await?;
        let stopped = flipping::keep(&arena.cluster, "stopped")?;
        Ok(Self { disk, copies: [stopped, crashed], questions, before, end })
    }

    /// Starts everything, reads and checks everything, and stops it.
    async fn look(&self, arena: &Arena, key: &str) -> Result<Found> {
        let mut found = Found::default();
        if arena.cluster.resume().await.is_err() {
            found.noticed.push("PostgreSQL does not start");
        } else {
            self.look_at_service(arena, key, &mut found).await?;
        }
        arena.hosts[0].kill().await;
        if !arena.cluster.pids().is_empty() {
            arena.cluster.stop_at_once().await?;
        }
        Ok(found)
    }

    async fn look_at_service(&self, arena: &Arena, key: &str, found: &mut Found) -> Result<()> {
        let log = arena.hosts[0].log();
        let heard = std::fs::metadata(&log)?.len();
        let is_short = matches!(self.end(arena).await, Ok(end) if end < self.end);
        match timeout(READY_TIMEOUT, arena.hosts[0].start()).await {
            Ok(Ok(_)) => self.ask(arena, key, is_short, found).await,
            Ok(Err(_)) | Err(_) => found.noticed.push(REFUSED),
        }
        let anchor = arena.folder.join("anchor").display().to_string();
        let verified = arena.daybook(&["log", "verify", "--json", "--anchor", &anchor]).await?;
        let checked = amcheck(arena)?;
        for (name, said) in [("log verify", &verified), ("pg_amcheck", &checked)] {
            found.check(name, said);
        }
        if found.noticed.is_empty() {
            // The reconciliation is slow on damaged files, and only needed if nothing else noticed the damage.
            found.check("reconcile", &arena.daybook(&["reconcile", "replay"]).await?);
        }
        let said = String::from_utf8_lossy(&std::fs::read(&log)?[usize::try_from(heard).map_err(failed)?..])
            .into_owned();
        if found.noticed.contains(&"503") && !said.contains("ERROR") {
            found.wrong.push("503 without an error in the log of the service".to_owned());
        }
        if is_short && !found.noticed.contains(&REFUSED) {
            found.noticed.push("the anchor");
            let is_told = said.contains(ANCHOR) && !verified.status.success();
            found.wrong.extend((!is_told).then(|| "no check reports the lost end of the log".to_owned()));
        }
        Ok(())
    }

    /// Repeats all reads, then sends a payment.
    async fn ask(&self, arena: &Arena, key: &str, is_short: bool, found: &mut Found) {
        let compared =
            Sight::of(&arena.world, arena.hosts[0].address, &self.questions).await.compare(&self.before);
        if compared.told > 0 {
            found.noticed.push("503");
        }
        if !is_short {
            found.wrong.extend(compared.wrong);
        }
        match pay(&arena.world, arena.hosts[0].address, key).await {
            Some(true) => {}
            Some(false) => found.noticed.push("503 to a payment"),
            None => found.wrong.push("a payment is answered neither 200 nor 503".to_owned()),
        }
    }

    async fn end(&self, arena: &Arena) -> Result<i64> {
        number(&arena.cluster.connect().await?, END).await
    }
}

/// Runs PostgreSQL's own check of all tables and indexes.
fn amcheck(arena: &Arena) -> Result<Output> {
    let mut command = Command::new(arena.cluster.bin_dir().join("pg_amcheck"));
    arena.cluster.account().enter(&mut command);
    command.arg("-h").arg(arena.folder.join("socket")).args(["-U", "daybook", "--heapallindexed", "daybook"]);
    Ok(command.output()?)
}

impl Found {
    /// Records the result of a check. A check that fails must print a reason.
    fn check(&mut self, name: &'static str, said: &Output) {
        if said.status.success() {
            return;
        }
        self.noticed.push(name);
        let (out, err) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
        match err.lines().chain(out.lines()).find(|line| !line.trim().is_empty()) {
            Some(line) => println!("    {name}: {line}"),
            None => self.wrong.push(format!("{name} does not print its finding")),
        }
    }

    fn told(&self) -> String {
        let noticed = if self.noticed.is_empty() { "harmless".to_owned() } else { self.noticed.join(", ") };
        if self.wrong.is_empty() { noticed } else { format!("{noticed}; WRONG: {}", self.wrong.join("; ")) }
    }
}
