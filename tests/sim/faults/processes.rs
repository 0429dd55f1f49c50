//! Process managers under faults: two of them read due to-dos from rows that may be outdated, do them in any order,
//! some of them twice, and may stop in the middle.

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::process::to_do;
use daybook_domain::time::DAY_MS;
use daybook_domain::transaction::Status;
use daybook_domain::{Command, Timestamp};
use daybook_random::Random;
use tokio::time::{sleep, timeout};

use super::World;
use super::chance::Fault;
use super::witness::Known;
use super::{clients, projector};
use crate::auditor;
use crate::ledger::Told;
use crate::processes::{Work, due};
use crate::workload;

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
        let (command, covers) = command(world, random, now, work);
        let process = &world.processes[random.below(world.processes.len())];
        let before = world.witness().position();
        let (_, known) = clients::ask(world, process, None, &command, covers).await?;
        let has_changed = world.witness().position() > before;
        done += usize::from(known == Known::Yes && has_changed);
        if known == Known::Yes && !has_changed {
            world.chance.met("a to-do had been done already");
        }
    }
    Ok(done)
}

/// Returns the command of a to-do, and for a bank statement the number of movements in it.
fn command(world: &World, random: &mut Random, now: Timestamp, work: Work) -> (Command, usize) {
    match work {
        Work::Ask(command) => (command, 0),
        Work::State(currency) => {
            let witness = world.witness();
            let day = workload::yesterday(now);
            let covers = witness.bank.waits(currency);
            (witness.bank.state(random, &witness.auditor, currency, day), covers)
        }
    }
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
        let mut witness = world.witness();
        witness.catch_up()?;
        let waits = |deal: &auditor::Deal| {
            let is_over = matches!(deal.status, Status::Settled | Status::Canceled | Status::Returned);
            !is_over || deal.leg().is_some()
        };
        let deals = &witness.auditor.deals;
        if witness.bank.is_silent() && !deals.values().any(waits) {
            let open = deals.iter().find(|(_, deal)| !auditor::open_items(deal).is_empty());
            world.chance.met("everything came to rest");
            return open.map_or(Ok(()), |open| Err(format!("no statement explains {open:?}")));
        }
    }
    Err("it does not come to rest".into())
}
