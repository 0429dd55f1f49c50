//! Clients without credentials ask for proofs, each up to another tile of the hash tree, while payments make the log
//! grow.

use daybook_random::Random;

use super::{Memory, Workload, payment};
use crate::ops::Asked;
use crate::world::World;

/// Number of events in a tile.
const TILE: u64 = 256;

/// The workload `strangers`.
pub(super) struct Strangers;

impl Workload for Strangers {
    fn next(&self, worker: &mut Memory, world: &World, random: &mut Random) -> Asked {
        let tiles = worker.position / TILE;
        if tiles == 0 || random.percent(50) {
            return payment("strangers", world, worker, random);
        }
        // Mostly one of the newest tiles, which are in no cache yet.
        let back = if random.percent(80) { random.below_u64(tiles.min(4)) } else { random.below_u64(tiles) };
        Asked::Prove { to: TILE * (tiles - back) }
    }
}
