//! Nine of ten payments take from one node that has little, so that holds, refusals and floors meet.

use daybook_random::Random;

use super::{Memory, Workload, payment};
use crate::ops::Asked;
use crate::world::World;

/// See the module.
pub(super) struct Hot;

/// How many of a hundred payments take from the hot node.
const HOT: u64 = 60;
/// How many give to it, so that it never dries up.
const BACK: u64 = 30;

impl Workload for Hot {
    fn next(&self, worker: &mut Memory, world: &World, random: &mut Random) -> Asked {
        if !random.percent(60) {
            return Asked::Node { user: 0, node: world.hot.clone() };
        }
        let mut asked = payment("hot", world, worker, random);
        if let Asked::Pay { user, from, to, amount, .. } = &mut asked {
            // So much that what is there is soon promised.
            *amount *= 20;
            match random.below_u64(100) {
                roll if roll < HOT => (*user, *from) = (0, world.hot.clone()),
                roll if roll < HOT + BACK => to.clone_from(&world.hot),
                _ => {}
            }
        }
        asked
    }
}
