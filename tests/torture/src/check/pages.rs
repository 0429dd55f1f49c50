//! C8: a page is the exact fold of the log at its position, so a walk through pages neither skips nor repeats an item.

use super::{Evidence, Findings};
use crate::ops::{Asked, Seen};

/// Returns the violations of C8.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let mut found = vec![];
    for (asked, answered) in evidence.answers() {
        let (Asked::Page { user, page, size }, Seen::Page { ids, total }) = (asked, &answered.seen) else {
            continue;
        };
        let Some(position) = answered.position else {
            found.push("a page states no position".to_owned());
            continue;
        };
        let user = &evidence.world.users[*user].id;
        let list = evidence.fold.lists.get(user).map_or(&[][..], Vec::as_slice);
        let there = &list[..list.partition_point(|(created, _)| *created <= position)];
        let skipped = usize::try_from((page - 1) * size).unwrap_or(usize::MAX);
        let size = usize::try_from(*size).unwrap_or(usize::MAX);
        let expected = there.iter().skip(skipped).take(size).map(|(_, id)| id);
        if !expected.eq(ids) {
            found.push(format!("page {page} of {user} at {position} is not what the log says"));
        }
        if *total != there.len() as u64 {
            found.push(format!("{user} has {} transactions at {position}, not {total}", there.len()));
        }
    }
    found
}
