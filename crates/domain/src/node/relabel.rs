//! Relabel a node: the owner changes its nickname, or the platform's own id for it. Both are in the sealed box, so the
//! command brings a whole new box and names the box that it was made from. No concurrent change is lost.

use super::Refusal;
use super::create::find_own;
use super::event::Relabeled;
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{BoxId, NodeId, PlatformId, UserId};
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::Timestamp;
use crate::user::erase::check_sealable;

/// Command to change the labels of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relabel {
    /// The node.
    pub node: NodeId,
    /// Platform of the caller.
    pub platform: PlatformId,
    /// The calling user, which must own the node.
    pub by: UserId,
    /// Id of the box from which the new one was made.
    pub from: Option<BoxId>,
    /// True if the platform's own id of the node (`supp_id`) changes.
    pub changes_supp_id: bool,
    /// Sealed box, class profile: all details of the node.
    pub details: Sealed,
}

impl Decide for Relabel {
    fn subject(&self) -> Key {
        self.node.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.node.into(), self.by.into()]
    }

    /// Decides. Refuses a box that was made from an older one.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let node = find_own(states, self.platform, self.node, self.by)?;
        check_sealable(states, node.user)?;
        if node.details.as_ref().map(|details| details.id) != self.from {
            return Err(Refusal::Stale.into());
        }
        let details = Some(self.details.clone());
        let relabeled = Relabeled { changes_supp_id: self.changes_supp_id, details };
        Ok(vec![NewEvent::new(self.node, relabeled)])
    }

    fn weight(&self) -> usize {
        self.details.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fixture::{ANN, ANNS, BOB, PLATFORM, sealed};
    use crate::testing::given;

    /// A command with the box `to`, made from the box `from`.
    fn relabel(from: u128, to: u128) -> Relabel {
        let from = Some(BoxId::from_u128(from));
        Relabel { node: ANNS, platform: PLATFORM, by: ANN, from, changes_supp_id: true, details: sealed(to) }
    }

    #[test]
    fn new_box_replaces_its_source_box() {
        let first = ANNS.as_u128();
        let relabeled = Relabeled { changes_supp_id: true, details: Some(sealed(1)) };
        let world = given([]).when(relabel(first, 1)).then([NewEvent::new(ANNS, relabeled)]);
        assert_eq!(world.node(ANNS).and_then(|node| node.details.clone()), Some(sealed(1)));
        let world = world.when(relabel(first, 2)).refused(Refusal::Stale);
        world.when(relabel(1, 2)).accepted();
    }

    #[test]
    fn only_the_owner_relabels_a_node() {
        let first = ANNS.as_u128();
        given([]).when(Relabel { by: BOB, ..relabel(first, 1) }).refused(Refusal::Unknown);
        let foreign = Relabel { platform: PlatformId::from_u128(2), ..relabel(first, 1) };
        given([]).when(foreign).refused(Refusal::Unknown);
    }
}
