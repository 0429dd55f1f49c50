//! A retry storm: many workers send the same payment under the same key, then all continue with the next key.

use std::sync::atomic::{AtomicU64, Ordering};

use daybook_random::Random;

use super::{Memory, Workload};
use crate::ops::Asked;
use crate::world::World;

/// The workloads `one-key` and `one-key-100`.
pub(super) struct OneKey {
    sent: AtomicU64,
    times: u64,
}

impl OneKey {
    /// Creates a workload that sends each key `times` times.
    pub(super) const fn new(times: u64) -> Self {
        Self { sent: AtomicU64::new(0), times }
    }
}

impl Workload for OneKey {
    fn next(&self, _: &mut Memory, world: &World, _: &mut Random) -> Asked {
        let number = self.sent.fetch_add(1, Ordering::Relaxed) / self.times;
        // The whole payment depends on the number only, so all requests with a key have the same body.
        let mut random = Random::new(number);
        let user = super::any_user(world, &mut random);
        let from = random.pick(&world.users[user].nodes).clone();
        let to = super::other(&from, world, &mut random);
        let amount = 1 + i64::try_from(random.below_u64(500)).unwrap_or_default();
        let (workload, key) = ("one-key".to_owned(), format!("one-{number}"));
        Asked::Pay { workload, user, from, to, amount, fee: 0, key }
    }
}
