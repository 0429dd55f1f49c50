//! What processes do while things go wrong: two of them take what is due from rows that may be old, do it in any order, some
//! of it twice, and stop half way.

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

/// How long a process waits for the rows to follow what it did.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long it rests if nothing changes.
const REST: Duration = Duration::from_hours(6);
/// How many days everything has to come to rest.
const DAYS: usize = 30;

/// Does what is due.
pub(super) async fn run(world: Arc<World>, number: usize) {
    let mut random = Random::branch(world.seed, (1 << 32) + number as u64);
    while world.failure().is_none() {
        let seen = world.rows.changes.seen();
        let told = world.rows.read().1;
        // What waits for another day is put off again at each look.
        let looks = random.once_in(4);
        match round(&world, &mut random, &told, looks).await {
            Err(what) => world.fail(what),
            // Until then the same rows would be found due again.
            Ok(done) if done > 0 && !world.chance.strikes(Fault::ToDoTwice) => {
                let _ = timeout(PATIENCE, world.rows.changes.changed(seen)).await;
            }
            Ok(done) if done > 0 => sleep(Duration::from_millis(20)).await,
            Ok(_) => {
                let _ = timeout(next(&told, world.now_ms()), world.rows.changes.changed(seen)).await;
            }
        }
    }
}

/// How long nothing new is due.
fn next(told: &Told, now_ms: i64) -> Duration {
    let times = told.states.values().filter_map(to_do).map(|it| it.due_at.ms() - told.ahead_ms() - now_ms);
    let soonest = times.filter(|ms| *ms > 0).min().and_then(|ms| u64::try_from(ms).ok());
    soonest.map_or(REST, |ms| Duration::from_millis(ms + 1)).min(REST)
}

/// Does what is due by `told`, in any order; answers how much of it changed something.
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

/// What is asked for, and how much of what waited at the bank is in it.
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

/// Everything goes its way until nothing is due; then the bank has explained every open item.
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
            return open.map_or(Ok(()), |open| Err(format!("nobody explains {open:?}")));
        }
    }
    Err("it does not come to rest".into())
}
