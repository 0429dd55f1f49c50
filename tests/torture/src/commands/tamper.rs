//! `daybook-torture tamper`: tampers with the log of a real service in its database; `daybook log verify` must report
//! the place.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use daybook_random::Random;
use serde_json::Value;
use tokio_postgres::Client;

use crate::arena::Arena;
use crate::error::{Result, failed};
use crate::ledger;
use crate::stage::{Plan, Stage};
use crate::tampering::{KEEP, KINDS, Shape, Tampering};

/// Options of `tamper`.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Path of the binary `daybook`.
    #[arg(long)]
    pub binary: PathBuf,
    /// Number of tamperings of each of the five kinds.
    #[arg(long, default_value_t = 200)]
    pub times: u64,
    /// Minimum number of events in the log.
    #[arg(long, default_value_t = 10_000)]
    pub events: i64,
    /// Seed of positions and values.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Folder for results.
    #[arg(long, default_value = "target/torture/tamper")]
    pub out: PathBuf,
}

/// Number of tamperings of one kind, by the way in which they were found.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    /// The first finding names the first changed position.
    first: u64,
    /// The first finding is elsewhere in the same commit, mostly at an event that depends on the changed one, and
    /// another finding names the position.
    beside: u64,
    /// The first finding is in the same commit, and no finding names the position.
    around: u64,
    /// There is no finding, or the first one is outside of the commit.
    missed: u64,
}

/// Creates a log, tampers with it, and prints the results.
pub async fn run(options: Options) -> Result<ExitCode> {
    let stage = Stage::set(&Plan::plain(&options.binary, &options.out)).await?;
    let arena = &stage.arena;
    let shape = make_log(arena, &options).await?;
    let database = arena.cluster.connect().await?;
    database.batch_execute(KEEP).await?;
    let mut random = Random::fork(options.seed, "tamper");
    let mut all: BTreeMap<&str, Found> = BTreeMap::new();
    if let Some(found) = findings(arena).await?.first() {
        return Err(failed(format!("the untouched log is not clean: {found}")));
    }
    for kind in KINDS {
        for _ in 0..options.times {
            let tampering = shape.tamper(kind, &mut random);
            behind_the_back(&database, &tampering.sql).await?;
            all.entry(kind).or_default().note(&tampering, &findings(arena).await?);
            behind_the_back(&database, &tampering.undo).await?;
        }
        if let Some(found) = findings(arena).await?.first() {
            return Err(failed(format!("{kind} was not undone: {found}")));
        }
    }
    println!("seed {}", options.seed);
    println!("events {}, commits {}", shape.0.last().copied().unwrap_or_default(), shape.0.len());
    let mut missed_of_all = 0;
    for (kind, Found { first, beside, around, missed }) in all {
        println!("{kind}: {first} located, {beside} located beside, {around} in its commit, {missed} missed");
        missed_of_all += missed;
    }
    println!("untouched and undone: clean");
    Ok(if missed_of_all == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs payers until there are enough events and the newest checkpoint covers all of them, then stops the service.
async fn make_log(arena: &Arena, options: &Options) -> Result<Shape> {
    ledger::grow(arena, "t", options.events, options.seed).await?;
    ledger::covered(arena).await?;
    ledger::close(arena).await?;
    let database = arena.cluster.connect().await?;
    let rows = database.query("select last_position from commit order by commit_no", &[]).await?;
    Ok(Shape(rows.iter().map(|row| u64::try_from(row.get::<_, i64>(0)).unwrap_or_default()).collect()))
}

/// Returns the findings of `daybook log verify`, in order.
async fn findings(arena: &Arena) -> Result<Vec<Value>> {
    let anchor = arena.folder.join("anchor").display().to_string();
    let said = arena.daybook(&["log", "verify", "--json", "--anchor", &anchor]).await?;
    let report: Value = serde_json::from_slice(&said.stdout)?;
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    match (said.status.code(), findings.first() == Some(&report["first"])) {
        (Some(0), _) if findings.is_empty() => Ok(findings),
        (Some(1), true) => Ok(findings),
        (code, _) => Err(failed(format!("log verify ended with {code:?}: {report}"))),
    }
}

async fn behind_the_back(database: &Client, sql: &str) -> Result<()> {
    let sql = format!("begin; set local session_replication_role = replica; {sql}; commit");
    database.batch_execute(&sql).await.map_err(|error| failed(format!("{sql}: {:?}", error.as_db_error())))
}

impl Found {
    fn note(&mut self, tampering: &Tampering, findings: &[Value]) {
        let mut positions = findings.iter().map(|finding| finding["position"].as_u64());
        let first = positions.next().flatten();
        let is_around = first.is_some_and(|position| tampering.around.contains(&position));
        let is_named = positions.any(|position| position == Some(tampering.first));
        let count = match (first == Some(tampering.first), is_around, is_named) {
            (true, ..) => &mut self.first,
            (false, true, true) => &mut self.beside,
            (false, true, false) => &mut self.around,
            (false, false, _) => {
                println!("{} must be found at {}: {first:?}", tampering.sql, tampering.first);
                &mut self.missed
            }
        };
        *count += 1;
    }
}
