//! Workloads. Each has a file and a line in [`ALL`]; it knows the world and the history of its worker.

mod bank;
mod comments;
mod fees;
mod hot;
mod lists;
mod one_key;
mod strangers;
mod worker;

use std::collections::VecDeque;

pub use worker::{Shared, work};

use daybook_random::Random;

use crate::error::{Result, failed};
use crate::ops::Asked;
use crate::world::World;

/// A generator of operations.
pub trait Workload: Send + Sync {
    /// Returns the next operation of a worker.
    fn next(&self, worker: &mut Memory, world: &World, random: &mut Random) -> Asked;
}

/// Constructor of a workload.
type Make = fn() -> Box<dyn Workload>;

/// All workloads, by their names in `--workload`.
pub const ALL: &[(&str, Make)] = &[
    ("bank", || Box::new(bank::Bank)),
    ("hot", || Box::new(hot::Hot)),
    ("one-key", || Box::new(one_key::OneKey::new(32))),
    // A retry storm: a hundred requests with each key.
    ("one-key-100", || Box::new(one_key::OneKey::new(100))),
    ("lists", || Box::new(lists::Lists)),
    ("comments", || Box::new(comments::Comments)),
    ("fees", || Box::new(fees::Fees)),
    ("strangers", || Box::new(strangers::Strangers)),
];

/// Maximum number of transactions that a worker remembers.
const MAX_REMEMBERED: usize = 64;

/// Memory of a worker.
#[derive(Debug, Default)]
pub struct Memory {
    /// Transactions that the worker created: index of the sender's owner, sender, id.
    pub made: VecDeque<(usize, String, String)>,
    /// Next page of a walk: index of the user, page.
    pub walk: Option<(usize, u64)>,
    /// Number of transactions of each user by the last list that was read.
    pub totals: Vec<u64>,
    /// Greatest log position in an answer.
    pub position: u64,
    /// Number of keys that the worker has used.
    pub keys: u64,
    /// Number of the worker.
    pub number: u64,
}

impl Memory {
    /// Returns a new idempotency key.
    pub fn key(&mut self) -> String {
        self.keys += 1;
        format!("w{}-{}", self.number, self.keys)
    }

    /// Adds a transaction, and forgets the oldest one over the maximum.
    pub fn remember(&mut self, user: usize, node: &str, id: &str) {
        self.made.push_back((user, node.to_owned(), id.to_owned()));
        if self.made.len() > MAX_REMEMBERED {
            self.made.pop_front();
        }
    }

    /// Returns the newest transaction.
    pub fn newest(&self) -> Option<(usize, String, String)> {
        self.made.back().cloned()
    }

    /// Returns a random transaction.
    pub fn any(&self, random: &mut Random) -> Option<(usize, String, String)> {
        let count = u64::try_from(self.made.len()).unwrap_or_default();
        let at = usize::try_from(random.below_u64(count.max(1))).unwrap_or_default();
        self.made.get(at).cloned()
    }
}

/// Returns the workloads with these names.
pub fn named(names: &[String]) -> Result<Vec<(String, Box<dyn Workload>)>> {
    let find = |name: &String| {
        let found = ALL.iter().find(|(known, _)| known == name);
        let (_, make) = found.ok_or_else(|| failed(format!("no workload is called {name}")))?;
        Ok((name.clone(), make()))
    };
    names.iter().map(find).collect()
}

/// Returns a payment between two random nodes, which may have the same owner.
fn payment(workload: &str, world: &World, worker: &mut Memory, random: &mut Random) -> Asked {
    let user = any_user(world, random);
    let from = random.pick(&world.users[user].nodes).clone();
    let to = other(&from, world, random);
    let amount = 1 + i64::try_from(random.below_u64(500)).unwrap_or_default();
    Asked::Pay { workload: workload.to_owned(), user, from, to, amount, fee: 0, key: worker.key() }
}

fn any_user(world: &World, random: &mut Random) -> usize {
    usize::try_from(random.below_u64(world.users.len() as u64)).unwrap_or_default()
}

/// Returns a random node other than `one`.
fn other(one: &str, world: &World, random: &mut Random) -> String {
    loop {
        let user = any_user(world, random);
        let node = random.pick(&world.users[user].nodes);
        if node != one {
            return node.clone();
        }
    }
}
