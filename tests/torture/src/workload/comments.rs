//! Comments on transactions that are settling, and reads of their timelines.

use daybook_random::Random;

use super::{Memory, Workload, payment};
use crate::ops::Asked;
use crate::world::World;

/// The workload `comments`.
pub(super) struct Comments;

impl Workload for Comments {
    fn next(&self, worker: &mut Memory, world: &World, random: &mut Random) -> Asked {
        let Some((user, node, id)) = worker.any(random) else {
            return payment("comments", world, worker, random);
        };
        match random.below_u64(100) {
            0..30 => payment("comments", world, worker, random),
            30..60 => Asked::Comment { user, node, id },
            _ => Asked::Get { user, node, id },
        }
    }
}
