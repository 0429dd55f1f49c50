//! A worker: sends one operation after the other until it is stopped, and records everything.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use daybook_random::Random;
use tokio::time::{Instant, sleep, sleep_until};

use super::{Memory, Workload};
use crate::arena::Arena;
use crate::balancer::Balancer;
use crate::client::Client;
use crate::history::Outcome;
use crate::ops::{Asked, Seen};

/// Timeout of an answer.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(8);
/// Pause after a failed connection, and after an operation that was refused or has an unknown outcome.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// State that all workers of a run share.
pub struct Shared {
    /// Workloads; each operation comes from a random one.
    pub workloads: Vec<(String, Box<dyn Workload>)>,
    /// Balancer that selects the services for calls.
    pub balancer: Balancer,
    /// Minimum time between the beginnings of two operations of a worker.
    pub every: Duration,
    /// True when the workers have to stop.
    pub stop: AtomicBool,
    /// Number of operations that remain to be sent.
    pub left: AtomicI64,
}

/// Works as worker number `number` until it is stopped.
pub async fn work(number: u64, arena: &Arena, shared: &Shared, mut random: Random) {
    let mut memory = Memory { number, ..Memory::default() };
    let patience = |host: &crate::service::Host| Client::new(host.address, RESPONSE_TIMEOUT);
    let mut clients: Vec<Client> = arena.hosts.iter().map(patience).collect();
    let mut session = arena.history.session();
    while !shared.stop.load(Ordering::Relaxed) && shared.left.fetch_sub(1, Ordering::Relaxed) > 0 {
        let next = Instant::now() + shared.every;
        let host = any(&clients, &mut random);
        if !(shared.balancer.is_in(host) && clients[host].open().await) {
            shared.left.fetch_add(1, Ordering::Relaxed);
            sleep(RETRY_INTERVAL).await;
            continue;
        }
        let asked = random.pick(&shared.workloads).1.next(&mut memory, &arena.world, &mut random);
        let op = arena.history.invoke(session, &asked);
        let answer = clients[host].send(&asked.call(&arena.world)).await;
        let (outcome, answered) = asked.judge(answer);
        memory.position = memory.position.max(answered.position.unwrap_or_default());
        learn(&mut memory, &asked, answered.id.as_deref(), &answered.seen);
        arena.history.done(op, outcome, answered);
        if outcome == Outcome::Info {
            session = arena.history.session();
        }
        if outcome != Outcome::Ok {
            sleep(RETRY_INTERVAL).await;
        }
        sleep_until(next).await;
    }
}

/// Returns the index of a random client.
fn any(clients: &[Client], random: &mut Random) -> usize {
    usize::try_from(random.below_u64(clients.len() as u64)).unwrap_or_default()
}

fn learn(memory: &mut Memory, asked: &Asked, made: Option<&str>, seen: &Seen) {
    match (asked, made, seen) {
        (Asked::Pay { user, from, .. }, Some(id), _) => memory.remember(*user, from, id),
        (Asked::Page { user, .. }, _, Seen::Page { total, .. }) => memory.totals[*user] = *total,
        _ => {}
    }
}
