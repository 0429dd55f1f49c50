//! What is asked for. A workload is a file and a line in [`ALL`]; it knows the world and what its worker did before.

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

/// A way to ask for things.
pub trait Workload: Send + Sync {
    /// The next operation of a worker.
    fn next(&self, worker: &mut Memory, world: &World, random: &mut Random) -> Asked;
}

/// How one is made.
type Make = fn() -> Box<dyn Workload>;

/// Everybody who can be asked for with `--workload`.
pub const ALL: &[(&str, Make)] = &[
    ("bank", || Box::new(bank::Bank)),
    ("hot", || Box::new(hot::Hot)),
    ("one-key", || Box::new(one_key::OneKey::new(32))),
    // A retry storm: a hundred requests for each key.
    ("one-key-100", || Box::new(one_key::OneKey::new(100))),
    ("lists", || Box::new(lists::Lists)),
    ("comments", || Box::new(comments::Comments)),
    ("fees", || Box::new(fees::Fees)),
    ("strangers", || Box::new(strangers::Strangers)),
];

/// How many of a worker's last transactions it remembers.
const REMEMBERED: usize = 64;

/// What a worker remembers of what it did.
#[derive(Debug, Default)]
pub struct Memory {
    /// Transactions that it made: the owner of the sender, the sender, the transaction.
    pub made: VecDeque<(usize, String, String)>,
    /// The place in a walk through pages: user, page.
    pub walk: Option<(usize, u64)>,
    /// How many transactions each user has, as it was told last.
    pub totals: Vec<u64>,
    /// The greatest position of the log that it was told.
    pub position: u64,
    /// How many keys it has used.
    pub keys: u64,
    /// Which worker it is.
    pub number: u64,
}

impl Memory {
    /// A key that nobody used before.
    pub fn key(&mut self) -> String {
        self.keys += 1;
        format!("w{}-{}", self.number, self.keys)
    }

    /// Remembers a transaction.
    pub fn remember(&mut self, user: usize, node: &str, id: &str) {
        self.made.push_back((user, node.to_owned(), id.to_owned()));
        if self.made.len() > REMEMBERED {
            self.made.pop_front();
        }
    }

    /// The newest that it remembers.
    pub fn newest(&self) -> Option<(usize, String, String)> {
        self.made.back().cloned()
    }

    /// One that it remembers.
    pub fn any(&self, random: &mut Random) -> Option<(usize, String, String)> {
        let count = u64::try_from(self.made.len()).unwrap_or_default();
        let at = usize::try_from(random.below_u64(count.max(1))).unwrap_or_default();
        self.made.get(at).cloned()
    }
}

/// Those of these names.
pub fn named(names: &[String]) -> Result<Vec<(String, Box<dyn Workload>)>> {
    let find = |name: &String| {
        let found = ALL.iter().find(|(known, _)| known == name);
        let (_, make) = found.ok_or_else(|| failed(format!("no workload is called {name}")))?;
        Ok((name.clone(), make()))
    };
    names.iter().map(find).collect()
}

/// A payment from a node to another, whose owners need not differ.
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

/// Any node but `one`.
fn other(one: &str, world: &World, random: &mut Random) -> String {
    loop {
        let user = any_user(world, random);
        let node = random.pick(&world.users[user].nodes);
        if node != one {
            return node.clone();
        }
    }
}
