//! `daybook-torture restore`: restores a part of a backup and checks that its exact end is known.
//!
//! Most restores use a base backup and the write-ahead log since then: the log is cut off at any record, or recovery
//! stops at an LSN, a transaction or a time. The result must be a consistent, shorter ledger. The expected end is
//! known, and the anchor must reveal the missing part. Other restores use a dump that lacks tables: a check must report
//! it, unless nothing was lost; without the tables of the log the service must not serve.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use daybook_random::Random;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use crate::arena::{Arena, daybook};
use crate::backup::{self, Backup, CUTS};
use crate::cluster::Cluster;
use crate::dump;
use crate::error::{Result, failed};
use crate::flipping::replace;
use crate::ledger::{self, END, number};
use crate::ops::Asked;
use crate::quiet;
use crate::service::{self, Host};
use crate::sight::{Sight, pay, questions};
use crate::stage::{Plan, Stage, Watchdog, folder};

/// Settings of PostgreSQL: the server keeps its whole write-ahead log.
const SETTINGS: [(&str, &str); 3] =
    [("wal_keep_size", "8GB"), ("max_wal_size", "8GB"), ("shared_buffers", "64MB")];
/// Text in the service's log if an anchor has a newer checkpoint than the log.
const ANCHOR: &str = "an anchor has another history";
/// Public URL for links, the same for every address at which a service listens.
const PUBLIC: (&str, &str) = ("DAYBOOK_PUBLIC_URL", "http://ledger.example");
/// Texts in the server's log if a restore ends before the base backup ended.
const EARLY: [&str; 4] = [
    "before consistent recovery point",
    "before end of online backup",
    "could not locate required checkpoint record",
    "could not find redo location",
];
/// Timeouts of a recovery (first constant) and of a start of the service.
const START_TIMEOUT: Duration = Duration::from_mins(1);
const READY_TIMEOUT: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Options of `restore`.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Path of the binary `daybook`.
    #[arg(long)]
    pub binary: PathBuf,
    /// Number of restores; every fifth one is a dump without some tables.
    #[arg(long, default_value_t = 50)]
    pub times: usize,
    /// Minimum number of events in the log.
    #[arg(long, default_value_t = 5_000)]
    pub events: i64,
    /// Seed of the restores.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Folder for results.
    #[arg(long, default_value = "target/torture/restore")]
    pub out: PathBuf,
}

/// Original ledger, with which restores are compared.
pub(crate) struct Scene<'a> {
    pub(crate) arena: &'a Arena,
    pub(crate) questions: Vec<Asked>,
    pub(crate) before: Sight,
    /// Size of the anchor's newest checkpoint.
    anchored: i64,
}

/// Makes the restores, checks them, and prints the results.
pub async fn run(options: Options) -> Result<ExitCode> {
    let env = vec![(PUBLIC.0.to_owned(), PUBLIC.1.to_owned())];
    let plan = Plan { settings: SETTINGS.to_vec(), env, ..Plan::plain(&options.binary, &options.out) };
    let stage = Stage::set(&plan).await?;
    let mut random = Random::fork(options.seed, "restore");
    let (scene, backup) = set(&stage.arena, &options, &mut random).await?;
    let spare = folder()?;
    let _watchdog = Watchdog::over(&spare)?;
    let mut sum: BTreeMap<String, u64> = BTreeMap::new();
    let mut wrong = 0;
    for time in 0..options.times {
        let cut = CUTS.get(time % (CUTS.len() + 1));
        let (told, kind, found) = if let Some(cut) = cut {
            let (end, told) = backup.lay_out(&stage.arena.cluster, &spare, cut, &mut random)?;
            let found = scene.recover(&spare, end, time).await?;
            let how = if found.is_none() { "refused by PostgreSQL" } else { "whole" };
            (told, format!("{cut}: {how}"), found)
        } else {
            let (told, how, found) = dump::one(&scene, time, &mut random).await?;
            (told, format!("dump: {how}"), Some(found))
        };
        let found = found.unwrap_or_default();
        println!("{told}: {}", if found.is_empty() { &kind } else { "WRONG" });
        for what in &found {
            println!("    {what}");
        }
        wrong += u64::from(!found.is_empty());
        *sum.entry(if found.is_empty() { kind } else { "wrong".to_owned() }).or_default() += 1;
    }
    println!("restores {}, seed {}", options.times, options.seed);
    for (kind, count) in sum {
        println!("{kind}: {count}");
    }
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Creates a ledger, with a base backup while it grows, and stops its service.
async fn set<'a>(arena: &'a Arena, options: &Options, random: &mut Random) -> Result<(Scene<'a>, Backup)> {
    ledger::grow(arena, "a", options.events / 3, options.seed).await?;
    let cluster = arena.cluster.clone();
    let copying = tokio::task::spawn_blocking(move || backup::base(&cluster, cluster.folder()));
    let (copied, grown) =
        tokio::join!(copying, ledger::grow(arena, "b", options.events * 2 / 3, options.seed));
    grown?;
    copied.map_err(failed)??;
    let database = arena.cluster.connect().await?;
    let whole = backup::flushed(&database).await?;
    let payments =
        ledger::grow(arena, "c", number(&database, END).await? + options.events / 3, options.seed).await?;
    quiet::rest(arena).await?.ok_or_else(|| failed("the ledger does not come to rest"))?;
    ledger::covered(arena).await?;
    let questions = questions(&arena.world, &payments, random);
    let before = Sight::of(&arena.world, arena.hosts[0].address, &questions).await;
    ledger::close(arena).await?;
    let backup = Backup::complete(&arena.cluster, &database, arena.cluster.folder(), whole).await?;
    let newest = std::fs::read_to_string(arena.folder.join("anchor/checkpoint"))?;
    let anchored = newest.lines().nth(1).and_then(|size| size.parse().ok()).unwrap_or_default();
    Ok((Scene { arena, questions, before, anchored }, backup))
}

impl Scene<'_> {
    /// Recovers the prepared `folder` and checks the result. Returns none if PostgreSQL refuses the recovery.
    async fn recover(&self, folder: &Path, end: i64, time: usize) -> Result<Option<Vec<String>>> {
        let mut wrong = vec![];
        let started = Cluster::start(folder, &[]).await;
        let cluster = match started {
            Ok(cluster) if recovered(&cluster).await => cluster,
            _ => {
                let said = std::fs::read_to_string(folder.join("postgres.log"))?;
                let fatal = said.lines().rfind(|line| line.contains("FATAL:")).unwrap_or_default();
                if EARLY.iter().any(|early| fatal.contains(early)) {
                    return Ok(None);
                }
                return Ok(Some(vec![format!("PostgreSQL does not start: {fatal}")]));
            }
        };
        let found = number(&cluster.connect().await?, END).await?;
        if found != end {
            wrong.push(format!("the log ends at {found} and not at {end}"));
        }
        let is_short = self.anchored > end;
        self.verify(&cluster.url(), end, is_short, &mut wrong).await?;
        let host = self.host(&cluster.url(), time)?;
        match timeout(READY_TIMEOUT, host.start()).await {
            Ok(Ok(_)) => self.serve(&cluster.url(), &host, is_short, &mut wrong).await?,
            other => wrong.push(format!("the service does not start: {other:?}")),
        }
        host.kill().await;
        cluster.stop_at_once().await?;
        Ok(Some(wrong))
    }

    /// Verifies the log: without the anchor it is complete, with the anchor it lacks the events after `end`.
    async fn verify(&self, url: &str, end: i64, is_short: bool, wrong: &mut Vec<String>) -> Result<()> {
        let report = self.say(url, &["log", "verify", "--json"]).await?;
        if report != (Some(0), Value::Null, end.into()) {
            wrong.push(format!("without the anchor: {report:?}"));
        }
        let anchor = self.arena.folder.join("anchor").display().to_string();
        let report = self.say(url, &["log", "verify", "--json", "--anchor", &anchor]).await?;
        let expected = if is_short { (Some(1), Value::from(end + 1)) } else { (Some(0), Value::Null) };
        if (report.0, &report.1) != (expected.0, &expected.1) {
            wrong.push(format!("with the anchor: {report:?} and not {expected:?}"));
        }
        let balance = self.daybook(url, &["ledger", "trial-balance"]).await?;
        if !balance.status.success() {
            wrong.push(format!("the trial balance: {}", balance.status));
        }
        Ok(())
    }

    /// Checks that the service accepts a payment, reports a missing part of the log if there is one, and has tables
    /// that equal the fold of the log.
    async fn serve(&self, url: &str, host: &Host, is_short: bool, wrong: &mut Vec<String>) -> Result<()> {
        if pay(&self.arena.world, host.address, "restored").await != Some(true) {
            wrong.push("a payment is not accepted".to_owned());
        }
        let reconciled = self.daybook(url, &["reconcile", "replay"]).await?;
        if !reconciled.status.success() {
            wrong.push(format!("the tables: {}", String::from_utf8_lossy(&reconciled.stdout).trim()));
        }
        let is_told = std::fs::read_to_string(host.log())?.contains(ANCHOR);
        if is_told != is_short {
            wrong.push(format!("report about the anchor: {is_told}, expected {is_short}"));
        }
        Ok(())
    }

    /// Runs a verification. Returns exit code, first bad position and number of events.
    pub(crate) async fn say(&self, url: &str, args: &[&str]) -> Result<(Option<i32>, Value, Value)> {
        let said = self.daybook(url, args).await?;
        let report: Value = serde_json::from_slice(&said.stdout).unwrap_or_default();
        Ok((said.status.code(), report["first"]["position"].clone(), report["events"].clone()))
    }

    /// Runs a command on a restored database.
    pub(crate) async fn daybook(&self, url: &str, args: &[&str]) -> Result<std::process::Output> {
        daybook(&self.arena.binary, &self.arena.folder, url, args).await
    }

    /// Returns a host for a restored database, with a copy of the anchor.
    pub(crate) fn host(&self, url: &str, time: usize) -> Result<Host> {
        let anchor = self.arena.folder.join(format!("anchor-{time}"));
        replace(&self.arena.folder.join("anchor"), &anchor)?;
        let options = service::Options {
            binary: self.arena.binary.clone(),
            database_url: url.to_owned(),
            folder: self.arena.folder.clone(),
            settle_after: Duration::from_secs(1),
            env: vec![(PUBLIC.0.to_owned(), PUBLIC.1.to_owned())],
            args: vec!["--anchor".to_owned(), anchor.display().to_string()],
        };
        Host::new(&format!("restored-{time}"), options)
    }
}

/// Waits until a server accepts writes. Returns false if it ended instead, or after a timeout.
async fn recovered(cluster: &Cluster) -> bool {
    let deadline = Instant::now() + START_TIMEOUT;
    while Instant::now() < deadline && !cluster.pids().is_empty() {
        if let Ok(database) = cluster.connect().await
            && let Ok(row) = database.query_one("select pg_is_in_recovery()", &[]).await
            && !row.get::<_, bool>(0)
        {
            return true;
        }
        sleep(POLL_INTERVAL).await;
    }
    false
}
