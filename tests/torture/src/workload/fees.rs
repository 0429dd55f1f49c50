//! Payments with a fee: three legs that are recorded together or not at all.

use daybook_random::Random;

use super::{Memory, Workload, any_user, payment};
use crate::ops::Asked;
use crate::world::World;

/// The workload `fees`.
pub(super) struct Fees;

impl Workload for Fees {
    fn next(&self, worker: &mut Memory, world: &World, random: &mut Random) -> Asked {
        if !random.percent(60) {
            return Asked::Nodes { user: any_user(world, random) };
        }
        let mut asked = payment("fees", world, worker, random);
        if let Asked::Pay { amount, fee, .. } = &mut asked {
            *fee = 1 + i64::try_from(random.below_u64((*amount).unsigned_abs())).unwrap_or_default();
        }
        asked
    }
}
