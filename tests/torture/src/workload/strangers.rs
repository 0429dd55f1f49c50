//! Strangers ask for proofs, each to the end of another tile of the hash tree, while payments make the log grow.

use daybook_random::Random;

use super::{Memory, Workload, payment};
use crate::ops::Asked;
use crate::world::World;

/// How many events are in a tile.
const TILE: u64 = 256;

/// See the module.
pub(super) struct Strangers;

impl Workload for Strangers {
    fn next(&self, worker: &mut Memory, world: &World, random: &mut Random) -> Asked {
        let tiles = worker.position / TILE;
        if tiles == 0 || random.percent(50) {
            return payment("strangers", world, worker, random);
        }
        // Mostly the newest ones, which nobody has asked for yet.
        let back = if random.percent(80) { random.below_u64(tiles.min(4)) } else { random.below_u64(tiles) };
        Asked::Prove { to: TILE * (tiles - back) }
    }
}
