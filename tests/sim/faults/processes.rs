//! Process managers under faults: two of them read due to-dos from rows that may be outdated, do them in any order,
//! some of them twice, and may stop in the middle.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use daybook_domain::operation::Act;
use daybook_domain::process::to_do;
use daybook_domain::time::DAY_MS;
use daybook_domain::{Command, Timestamp};
use daybook_random::Random;
use tokio::time::{sleep, timeout};

use super::World;
use super::chance::Fault;
use super::witness::{Known, Witness};
use super::{clients, projector};
use crate::desk;
use crate::ledger::Told;
use crate::processes::{Work, due};

/// Timeout for the rows to contain the changes of a round.
const CATCH_UP_TIMEOUT: Duration = Duration::from_millis(500);
/// Pause if nothing changes.
const IDLE_INTERVAL: Duration = Duration::from_hours(6);
/// Number of days for everything to come to rest.
const DAYS: usize = 30;

/// Does the due work until the run ends.
pub(super) async fn run(world: Arc<World>, number: usize) {
    let mut random = Random::branch(world.seed, (1 << 32) + number as u64);
    while world.failure().is_none() {
        let seen = world.rows.changes.seen();
        let told = world.rows.read().1;
        // Sometimes queued transactions are screened again, whose to-dos are due on another day only.
        let looks = random.once_in(4);
        match round(&world, &mut random, &told, looks).await {
            Err(what) => world.fail(what),
            // Before the rows have changed, the same to-dos would be found again.
            Ok(done) if done > 0 && !world.chance.strikes(Fault::ToDoTwice) => {
                let _ = timeout(CATCH_UP_TIMEOUT, world.rows.changes.changed(seen)).await;
            }
            Ok(done) if done > 0 => sleep(Duration::from_millis(20)).await,
            Ok(_) => {
                let _ = timeout(next(&told, world.now_ms()), world.rows.changes.changed(seen)).await;
            }
        }
    }
}

/// Returns the time until a new to-do is due.
fn next(told: &Told, now_ms: i64) -> Duration {
    let times = told.states.values().filter_map(to_do).map(|it| it.due_at.ms() - told.ahead_ms() - now_ms);
    let soonest = times.filter(|ms| *ms > 0).min().and_then(|ms| u64::try_from(ms).ok());
    soonest.map_or(IDLE_INTERVAL, |ms| Duration::from_millis(ms + 1)).min(IDLE_INTERVAL)
}

/// Does the to-dos that are due by `told`, in any order. Returns the number of to-dos that changed something.
async fn round(world: &World, random: &mut Random, told: &Told, looks: bool) -> Result<usize, String> {
    let now = Timestamp::from_ms(world.now_ms() + told.ahead_ms());
    let mut ids = world.fresh() << 8;
    let mut work = due(told, now, looks, &mut ids);
    for place in 1..work.len() {
        work.swap(place, random.below(place + 1));
    }
    let mut done = 0;
    for work in work {
        if world.chance.strikes(Fault::HalfDone) {
            break;
        }
        let commands = commands(world, random, (told, now), work);
        for (number, (command, covers)) in commands.into_iter().enumerate() {
            if number > 0 && world.chance.strikes(Fault::HalfDone) {
                return Ok(done);
            }
            let (is_known, has_changed) = ask(world, random, &command, covers).await?;
            done += usize::from(has_changed);
            // A process that does not know the outcome begins its to-do again.
            if !is_known {
                break;
            }
        }
    }
    Ok(done)
}

/// Sends the command of a to-do to any process. Returns true if its outcome is known, and true if it changed something.
async fn ask(
    world: &World,
    random: &mut Random,
    command: &Command,
    covers: usize,
) -> Result<(bool, bool), String> {
    let process = &world.processes[random.below(world.processes.len())];
    let before = world.witness().position();
    let (_, known) = clients::ask(world, process, None, command, covers).await?;
    let has_changed = world.witness().position() > before;
    if known == Known::Yes && !has_changed {
        world.chance.met("a to-do had been done already");
    }
    Ok((known == Known::Yes, known == Known::Yes && has_changed))
}

/// Returns the commands of a to-do, and for a bank statement without a file the number of movements in it.
fn commands(
    world: &World,
    random: &mut Random,
    (told, now): (&Told, Timestamp),
    work: Work,
) -> Vec<(Command, usize)> {
    let mut witness = world.witness();
    let Witness { bank, auditor, .. } = &mut *witness;
    let covers = if let Work::State(currency) = work { bank.waits(currency) } else { 0 };
    let commands = work.commands((told, now), random, bank, auditor);
    commands.into_iter().map(|command| (command, covers)).collect()
}

/// Lets everything continue until nothing is due. The bank must then have explained every open item.
pub(super) async fn come_to_rest(world: &Arc<World>, random: &mut Random) -> Result<(), String> {
    for _ in 0..DAYS {
        sleep(Duration::from_millis(DAY_MS.unsigned_abs())).await;
        for _ in 0..8 {
            projector::end(world).await?;
            let told = world.rows.read().1;
            if round(world, random, &told, true).await? == 0 {
                break;
            }
        }
        if !rests(world)? {
            continue;
        }
        world.chance.met("everything came to rest");
        if world.witness().bank.has_files {
            return clear_all(world).await;
        }
        return world.witness().auditor.is_explained();
    }
    Err("it does not come to rest".into())
}

/// Returns true if no transaction is under way and the bank has stated everything.
fn rests(world: &World) -> Result<bool, String> {
    let mut witness = world.witness();
    witness.catch_up()?;
    Ok(witness.bank.is_silent() && witness.auditor.rests())
}

/// Lets operators match what is left of lines, and write off what is left of items, until nothing changes.
async fn clear_all(world: &World) -> Result<(), String> {
    let (mut tried, mut before) = (BTreeSet::new(), 0);
    while before < world.witness().position() {
        before = world.witness().position();
        tried.clear();
        while let Some(act) = next_to_clear(world, &mut tried) {
            let id = world.fresh();
            clients::ask(world, &world.processes[0], None, &desk::request(id, act), 0).await?;
            if world.witness().auditor.waits(id) {
                clients::ask(world, &world.processes[0], None, &desk::approval(id), 0).await?;
            }
        }
    }
    desk::is_cleared(&world.witness().auditor)
}

fn next_to_clear(world: &World, tried: &mut desk::Tried) -> Option<Act> {
    desk::next_to_clear(&world.witness().auditor, tried)
}
