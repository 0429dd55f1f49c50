//! Payments between any two nodes; in between, reads of new and older transactions and of all balances of a user.

use daybook_random::Random;

use super::{Memory, Workload, any_user, payment};
use crate::ops::Asked;
use crate::world::World;

/// The workload `bank`.
pub(super) struct Bank;

impl Workload for Bank {
    fn next(&self, worker: &mut Memory, world: &World, random: &mut Random) -> Asked {
        if random.percent(60) {
            return payment("bank", world, worker, random);
        }
        let found = match random.below_u64(3) {
            0 => worker.newest(),
            1 => worker.any(random),
            _ => None,
        };
        match found {
            Some((user, node, id)) => Asked::Get { user, node, id },
            None => Asked::Nodes { user: any_user(world, random) },
        }
    }
}
