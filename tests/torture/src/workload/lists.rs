//! Walks through the last pages of a user's transactions while payments make the list grow.

use daybook_random::Random;

use super::{Memory, Workload, any_user, payment};
use crate::ops::Asked;
use crate::world::World;

/// Size of a page.
const PAGE_SIZE: u64 = 20;
/// Number of pages before the end at which a walk begins.
const MAX_PAGES_BACK: u64 = 3;

/// The workload `lists`.
pub(super) struct Lists;

impl Workload for Lists {
    fn next(&self, worker: &mut Memory, world: &World, random: &mut Random) -> Asked {
        if random.percent(60) {
            return payment("lists", world, worker, random);
        }
        worker.totals.resize(world.users.len(), 0);
        let last = |user: usize| worker.totals[user] / PAGE_SIZE + 1;
        let (user, page) = match worker.walk.take() {
            Some((user, page)) if page <= last(user) + 1 => (user, page),
            _ => {
                let user = any_user(world, random);
                // Some walks begin at the first page.
                (user, if random.percent(2) { 1 } else { last(user).saturating_sub(MAX_PAGES_BACK).max(1) })
            }
        };
        worker.walk = Some((user, page + 1));
        Asked::Page { user, page, size: PAGE_SIZE }
    }
}
