//! Most payments are from or to one node with little money, so that holds, refusals and floors interact.

use daybook_random::Random;

use super::{Memory, Workload, payment};
use crate::ops::Asked;
use crate::world::World;

/// The workload `hot`.
pub(super) struct Hot;

/// Percentage of payments from the hot node.
const HOT_PERCENT: u64 = 60;
/// Percentage of payments to the hot node, so that it does not run out of money.
const REFILL_PERCENT: u64 = 30;

impl Workload for Hot {
    fn next(&self, worker: &mut Memory, world: &World, random: &mut Random) -> Asked {
        if !random.percent(60) {
            return Asked::Node { user: 0, node: world.hot.clone() };
        }
        let mut asked = payment("hot", world, worker, random);
        if let Asked::Pay { user, from, to, amount, .. } = &mut asked {
            // Large amounts, so that the available balance is soon held.
            *amount *= 20;
            match random.below_u64(100) {
                roll if roll < HOT_PERCENT => (*user, *from) = (0, world.hot.clone()),
                roll if roll < HOT_PERCENT + REFILL_PERCENT => to.clone_from(&world.hot),
                _ => {}
            }
        }
        asked
    }
}
