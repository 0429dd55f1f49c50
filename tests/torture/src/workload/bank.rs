//! Payments between any two nodes; balances of all nodes of a user in between.

use super::{Memory, Workload, any_user, payment};
use crate::ops::Asked;
use crate::random::Random;
use crate::world::World;

/// See the module.
pub(super) struct Bank;

impl Workload for Bank {
    fn next(&self, worker: &mut Memory, world: &World, random: &mut Random) -> Asked {
        if random.percent(60) {
            return payment("bank", world, worker, random);
        }
        match (random.percent(50), worker.any(random)) {
            (true, Some((user, node, id))) => Asked::Get { user, node, id },
            _ => Asked::Nodes { user: any_user(world, random) },
        }
    }
}
