//! End of a run, after the last fault: resolves unknown operations by their keys, waits until nothing changes,
//! and writes the data that the checks need into the folder of the run.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use daybook_random::Random;
use futures::future::join_all;
use tokio::time::{Instant, sleep};

use crate::arena::{Arena, printed};
use crate::check::{Command, Last};
use crate::client::Client;
use crate::commands::run::Options;
use crate::deadlocks;
use crate::desk::{Served, served};
use crate::error::{Result, failed};
use crate::faketime;
use crate::history::{self, Answered, Line, Outcome};
use crate::ops::{Asked, Seen};

/// Timeout of an answer.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum number of unknown operations that are resolved at the same time.
const CONCURRENT_READS: usize = 16;
/// Maximum number of attempts to get an answer.
const MAX_ATTEMPTS: u32 = 50;
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Timeout for the system to come to rest (first constant). It is at rest when nothing was appended for the second one.
const QUIET_TIMEOUT: Duration = Duration::from_mins(1);
const QUIET_DURATION: Duration = Duration::from_millis(1_500);

/// Maximum number of transactions that are read one by one.
const MAX_PAGES_READ: usize = 300;
/// Size of a page.
const PAGE_SIZE: u64 = 100;

/// Resolves unknown operations, waits for rest, and reads.
pub async fn look(arena: &Arena, options: &Options) -> Result<()> {
    let Options { seed, out, past, .. } = options;
    arena.history.sync()?;
    let host = arena.hosts.first().ok_or_else(|| failed("there must be a service"))?;
    let mut client = Client::new(host.address, RESPONSE_TIMEOUT);
    resolve(arena, out).await?;
    let mut last = Last { seed: *seed, commit: commit(), ready_ms: arena.ready_ms(), ..Last::default() };
    last.ahead_s = ahead(arena).await?;
    if last.ahead_s > 0 {
        wait_as_if(arena, last.ahead_s).await?;
    }
    last.rest_ms = rest(arena).await?;
    let to_dos = served::wait(arena).await?;
    if to_dos.has_waited {
        rest(arena).await?;
    }
    let mut random = Random::fork(*seed, "quiet");
    last.reads = read(arena, &mut client, out, &mut random).await?;
    if arena.world.desk.is_some() {
        last.desk = Some(Served::read(arena, to_dos.left).await);
    }
    let log = printed(&arena.daybook(&["log", "tail", "--after", "0", "--json"]).await?)?;
    let end = log.lines().count() as u64;
    std::fs::write(out.join("log.jsonl"), log)?;
    last.commands = commands(arena, end, *past, &mut random).await?;
    last.deadlocks = deadlocks::seen(&arena.cluster)?;
    arena.history.sync()?;
    std::fs::write(out.join("last.json"), serde_json::to_vec_pretty(&last)?)?;
    Ok(())
}

/// Returns the git commit of the current folder; empty outside of a checkout.
fn commit() -> String {
    let git = std::process::Command::new("git").args(["rev-parse", "--short", "HEAD"]).output();
    git.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}

/// Sends every operation whose outcome is unknown twice more, under its own key.
async fn resolve(arena: &Arena, out: &Path) -> Result<()> {
    let mut open = BTreeMap::new();
    for line in history::read(out)? {
        match line {
            Line::Invoke { op, asked, .. } if asked.key().is_some() => _ = open.insert(op, asked),
            Line::Done { op, outcome, .. } if outcome != Outcome::Info => _ = open.remove(&op),
            _ => {}
        }
    }
    let mut unknown: BTreeMap<String, Unknown> = BTreeMap::new();
    for (op, asked) in open {
        let key = asked.key().unwrap_or_default().to_owned();
        unknown.entry(key).or_insert(Unknown { asked, ops: vec![] }).ops.push(op);
    }
    let unknown: Vec<Unknown> = unknown.into_values().collect();
    let share = unknown.len().div_ceil(CONCURRENT_READS).max(1);
    join_all(unknown.chunks(share).map(|share| resolve_share(arena, share))).await;
    arena.history.sync()
}

/// An operation with an unknown outcome, and the numbers of all operations under its key.
struct Unknown {
    asked: Asked,
    ops: Vec<u64>,
}

/// Resolves operations one after the other.
async fn resolve_share(arena: &Arena, unknown: &[Unknown]) {
    let Some(host) = arena.hosts.first() else { return };
    let client = &mut Client::new(host.address, RESPONSE_TIMEOUT);
    for Unknown { asked, ops } in unknown {
        let Some((was_done, id)) = ask(arena, client, asked).await else { continue };
        let Some((_, again)) = ask(arena, client, asked).await else { continue };
        for op in ops {
            let (id, again) = (id.clone(), again.clone());
            arena.history.write(&Line::Resolved { op: *op, was_done, id, again });
        }
    }
}

/// Repeats an operation until it is answered. Returns true if it had been executed before, and the id of the
/// transaction.
async fn ask(arena: &Arena, client: &mut Client, asked: &Asked) -> Option<(bool, String)> {
    for _ in 0..MAX_ATTEMPTS {
        let (outcome, Answered { status, id, odd, .. }) =
            asked.judge(client.send(&asked.call(&arena.world)).await);
        match (outcome, id) {
            (Outcome::Ok, Some(id)) => return Some((status == Some(409), id)),
            (Outcome::Fail, _) if status.is_some() => {
                arena.history.wrong(format!("{asked:?} was sent before and is now refused: {odd:?}"));
                return None;
            }
            _ => sleep(POLL_INTERVAL).await,
        }
    }
    arena.history.wrong(format!("{asked:?} is not answered"));
    None
}

/// Returns the seconds by which the newest time in the log is ahead of the clock.
async fn ahead(arena: &Arena) -> Result<u64> {
    let ahead = "select ceil(extract(epoch from max(recorded_at) - clock_timestamp()))::bigint from commit";
    let row = arena.cluster.connect().await?.query_one(ahead, &[]).await?;
    Ok(u64::try_from(row.try_get::<_, i64>(0)?).unwrap_or_default())
}

/// Sets all clocks ahead by `seconds`, instead of waiting.
async fn wait_as_if(arena: &Arena, seconds: u64) -> Result<()> {
    let ahead = i64::try_from(seconds).map_err(failed)?;
    for host in &arena.hosts {
        faketime::prepare(arena, host).await?;
        faketime::set(arena, host, ahead).await?;
    }
    Ok(())
}

/// Waits until nothing is appended and the read models have processed the whole log. Returns the time that
/// this took, in milliseconds; none after a timeout.
pub async fn rest(arena: &Arena) -> Result<Option<u64>> {
    let sql = arena.cluster.connect().await?;
    let newest = "select (select max(last_position) from commit), (select max(position) from cursor)";
    let (begun, mut since, mut before) = (Instant::now(), Instant::now(), None);
    while begun.elapsed() < QUIET_TIMEOUT {
        let row = sql.query_one(newest, &[]).await?;
        let now: (Option<i64>, Option<i64>) = (row.try_get(0)?, row.try_get(1)?);
        if before != Some(now) || now.0 != now.1 {
            (since, before) = (Instant::now(), Some(now));
        } else if since.elapsed() > QUIET_DURATION {
            return Ok(u64::try_from((since - begun).as_millis()).ok());
        }
        sleep(POLL_INTERVAL).await;
    }
    Ok(None)
}

/// Reads all nodes and lists, and some transactions.
async fn read(
    arena: &Arena,
    client: &mut Client,
    out: &Path,
    random: &mut Random,
) -> Result<Vec<(Asked, Answered)>> {
    let mut made = vec![];
    for line in history::read(out)? {
        if let Line::Invoke { asked: Asked::Get { user, node, id }, .. } = line {
            made.push((user, node, id));
        }
    }
    let mut asked: Vec<Asked> = (0..arena.world.users.len()).map(|user| Asked::Nodes { user }).collect();
    for _ in 0..MAX_PAGES_READ.min(made.len()) {
        let (user, node, id) = random.pick(&made).clone();
        asked.push(Asked::Get { user, node, id });
    }
    let mut reads = vec![];
    for asked in asked {
        reads.push((asked.clone(), answer(arena, client, &asked).await));
    }
    for user in 0..arena.world.users.len() {
        for page in 1.. {
            let asked = Asked::Page { user, page, size: PAGE_SIZE };
            let answered = answer(arena, client, &asked).await;
            let is_more = matches!(&answered.seen, Seen::Page { total, .. } if page * PAGE_SIZE < *total);
            reads.push((asked, answered));
            if !is_more {
                break;
            }
        }
    }
    // If the hash tree of the log has gaps, the service cannot prove the end of the log.
    let head = reads.iter().filter_map(|(_, answered)| answered.position).max();
    if let Some(to) = head {
        let asked = Asked::Prove { to };
        reads.push((asked.clone(), answer(arena, client, &asked).await));
    }
    Ok(reads)
}

/// Repeats a read until it succeeds. Records a violation and returns nothing if it does not.
async fn answer(arena: &Arena, client: &mut Client, asked: &Asked) -> Answered {
    for _ in 0..MAX_ATTEMPTS {
        let (outcome, answered) = asked.judge(client.send(&asked.call(&arena.world)).await);
        if outcome == Outcome::Ok {
            return answered;
        }
        sleep(POLL_INTERVAL).await;
    }
    arena.history.wrong(format!("{asked:?} is not answered in the quiet phase"));
    Answered::default()
}

/// Verifies the log, and reconciles the read models at the current position and at past positions.
async fn commands(arena: &Arena, end: u64, past: u64, random: &mut Random) -> Result<Vec<Command>> {
    let anchor = arena.folder.join("anchor").display().to_string();
    let mut lines: Vec<Vec<String>> = vec![
        ["log", "verify", "--anchor", &anchor].map(str::to_owned).to_vec(),
        ["reconcile", "replay"].map(str::to_owned).to_vec(),
    ];
    for _ in 0..past {
        let at = (1 + random.below_u64(end.max(1))).to_string();
        lines.push(["reconcile", "replay", "--at", &at].map(str::to_owned).to_vec());
    }
    let mut commands = vec![];
    for line in lines {
        let args: Vec<&str> = line.iter().map(String::as_str).collect();
        let output = arena.daybook(&args).await?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        let said: Vec<&str> = said.lines().rev().take(5).collect();
        let said = said.into_iter().rev().collect::<Vec<_>>().join(" | ");
        commands.push(Command { line: line.join(" "), code: output.status.code(), said });
    }
    Ok(commands)
}
