//! Pairs of a write through one service and reads through another. Each worker has two nodes of its own, so it knows what
//! every answer must contain.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::client::Client;
use crate::history::{Answered, Outcome};
use crate::ops::{Asked, Seen};
use crate::world::{FUNDS, World};

/// Pause after a write without a known outcome.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);
/// Number of transactions of a worker after which its list is not read any more: the last page becomes far.
const LISTED: u64 = 2_000;

/// Results of all pairs.
#[derive(Debug, Default)]
pub struct Pairs {
    /// Number of pairs.
    pub made: u64,
    /// Number of reads that were answered.
    pub reads: u64,
    /// Number of reads without an answer that could be compared.
    pub unanswered: u64,
    /// Number of lists that say that they are older than the write before them, because the read models are. At the
    /// primary they would be, too.
    pub told: u64,
    /// Number of answers that were older than the write before them, by the kind of the read.
    pub stale_by_kind: BTreeMap<&'static str, u64>,
    /// Number of reads by their time in microseconds, in steps of a quarter of a power of two.
    times: BTreeMap<u32, u64>,
}

impl Pairs {
    /// Adds the results of another worker.
    pub fn add(&mut self, other: Self) {
        self.made += other.made;
        self.reads += other.reads;
        self.unanswered += other.unanswered;
        self.told += other.told;
        for (kind, count) in other.stale_by_kind {
            *self.stale_by_kind.entry(kind).or_default() += count;
        }
        for (step, count) in other.times {
            *self.times.entry(step).or_default() += count;
        }
    }

    /// Returns the number of stale answers.
    pub fn stale(&self) -> u64 {
        self.stale_by_kind.values().sum()
    }

    /// Returns the time that `percent` of the reads took at most, up to a quarter more.
    pub fn read_time(&self, percent: u64) -> Duration {
        let mut left = (self.reads * percent).div_ceil(100);
        for (step, count) in &self.times {
            if *count >= left {
                return Duration::from_micros(end_of(*step));
            }
            left -= count;
        }
        Duration::ZERO
    }

    fn took(&mut self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX).max(1);
        let power = micros.ilog2();
        let quarter = if power < 2 { 0 } else { (micros >> (power - 2)) & 3 };
        *self.times.entry(power * 4 + u32::try_from(quarter).unwrap_or_default()).or_default() += 1;
    }
}

/// Returns the longest time of a step, in microseconds.
fn end_of(step: u32) -> u64 {
    let (power, quarter) = (step / 4, u64::from(step % 4));
    if power < 2 { 1 << (power + 1) } else { (4 + quarter + 1) << (power - 2) }
}

/// A worker that makes pairs.
pub struct Worker {
    world: World,
    user: usize,
    from: String,
    to: String,
    writer: Client,
    reader: Client,
    reads: u64,
    paid: u64,
    pairs: Pairs,
}

impl Worker {
    /// Creates the worker with this number; it makes `reads` reads after each write.
    pub fn new(world: &World, number: usize, [writer, reader]: [Client; 2], reads: u64) -> Self {
        let users = world.users.len();
        let (user, place) = (number % users, 2 * (number / users));
        let from = world.users[user].nodes[place].clone();
        let to = world.users[(user + 1) % users].nodes[place + 1].clone();
        Self { world: world.clone(), user, from, to, writer, reader, reads, paid: 0, pairs: Pairs::default() }
    }

    /// Makes pairs until none is left.
    pub async fn work(mut self, left: Arc<AtomicU64>) -> Pairs {
        let one = |left: u64| left.checked_sub(1);
        while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one).is_ok() {
            let Some((id, position)) = self.pay().await else {
                left.fetch_add(1, Ordering::Relaxed);
                sleep(RETRY_INTERVAL).await;
                continue;
            };
            self.pairs.made += 1;
            for number in 0..self.reads {
                self.look((&id, position), self.pairs.made + number).await;
            }
        }
        self.pairs
    }

    /// Pays one cent; returns the id and the position of the transaction if the payment was acknowledged.
    async fn pay(&mut self) -> Option<(String, u64)> {
        let asked = Asked::Pay {
            workload: "pairs".to_owned(),
            user: self.user,
            from: self.from.clone(),
            to: self.to.clone(),
            amount: 1,
            fee: 0,
            key: format!("{}-{}", self.from, self.paid),
        };
        let (outcome, answered) = asked.judge(self.writer.send(&asked.call(&self.world)).await);
        let id = answered.id.filter(|_| outcome == Outcome::Ok)?;
        self.paid += 1;
        Some((id, answered.position.unwrap_or_default()))
    }

    /// Makes one read, the next kind in turn, and compares its answer.
    async fn look(&mut self, (id, position): (&str, u64), turn: u64) {
        let (user, node) = (self.user, self.from.clone());
        let (kind, asked) = match turn % 3 {
            0 if self.paid <= LISTED => ("list", Asked::List { user, node }),
            1 => ("balance", Asked::Available { user, node }),
            _ => ("record", Asked::Get { user, node, id: id.to_owned() }),
        };
        let began = Instant::now();
        let answer = self.reader.send(&asked.call(&self.world)).await;
        let is_absent = answer.as_ref().is_ok_and(|answer| answer.status == 404);
        let (outcome, answered) = asked.judge(answer);
        if outcome != Outcome::Ok && !is_absent {
            self.pairs.unanswered += 1;
            return;
        }
        self.pairs.reads += 1;
        self.pairs.took(began.elapsed());
        if kind == "list" && answered.position.is_some_and(|listed| listed < position) {
            self.pairs.told += 1;
        } else if is_absent || !self.is_current(&answered) {
            *self.pairs.stale_by_kind.entry(kind).or_default() += 1;
        }
    }

    /// Returns true if the answer contains every payment of this worker.
    fn is_current(&self, answered: &Answered) -> bool {
        match &answered.seen {
            Seen::Balances { of } => {
                let paid = i64::try_from(self.paid).unwrap_or(i64::MAX);
                of.iter().all(|(_, amount)| *amount == FUNDS - paid)
            }
            Seen::Page { total, .. } => *total == self.paid + 1,
            Seen::Transaction { .. } => true,
            Seen::Nothing | Seen::Taken(_) | Seen::TieOut { .. } => false,
        }
    }
}
