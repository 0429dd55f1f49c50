//! Relabel: the owner gives a node another nickname or another id of the platform's own. Both are in the box, so there
//! is a whole new box, made from the one that the command names: nobody's change is lost.

use super::Refusal;
use super::create::find_own;
use super::event::Relabeled;
use crate::aggregate::{Fact, Key};
use crate::decide::Decide;
use crate::id::{BoxId, NodeId, PlatformId, UserId};
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::Timestamp;
use crate::user::erase::check_sealable;

/// Asks for other labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relabel {
    /// The node.
    pub node: NodeId,
    /// The platform of the caller.
    pub platform: PlatformId,
    /// The caller; must own the node.
    pub by: UserId,
    /// The box that the new one was made from.
    pub from: Option<BoxId>,
    /// The platform's own id for the node is another one.
    pub changes_supp_id: bool,
    /// Box, class profile: all of the node's details.
    pub details: Sealed,
}

impl Decide for Relabel {
    fn subject(&self) -> Key {
        self.node.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.node.into(), self.by.into()]
    }

    /// Decides. What was made from an older box is stale.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<Fact>, crate::Refusal> {
        let node = find_own(states, self.platform, self.node, self.by)?;
        check_sealable(states, node.user)?;
        if node.details.as_ref().map(|details| details.id) != self.from {
            return Err(Refusal::Stale.into());
        }
        let details = Some(self.details.clone());
        let relabeled = Relabeled { changes_supp_id: self.changes_supp_id, details };
        Ok(vec![Fact::new(self.node, relabeled)])
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

    /// A box made from the first one.
    fn relabel(from: u128, to: u128) -> Relabel {
        let from = Some(BoxId::from_u128(from));
        Relabel { node: ANNS, platform: PLATFORM, by: ANN, from, changes_supp_id: true, details: sealed(to) }
    }

    #[test]
    fn the_new_box_takes_the_place_of_the_one_that_it_was_made_from() {
        let first = ANNS.as_u128();
        let relabeled = Relabeled { changes_supp_id: true, details: Some(sealed(1)) };
        let world = given([]).when(relabel(first, 1)).then([Fact::new(ANNS, relabeled)]);
        assert_eq!(world.node(ANNS).and_then(|node| node.details.clone()), Some(sealed(1)));
        let world = world.when(relabel(first, 2)).refused(Refusal::Stale);
        world.when(relabel(1, 2)).accepted();
    }

    #[test]
    fn only_its_owner_may() {
        let first = ANNS.as_u128();
        given([]).when(Relabel { by: BOB, ..relabel(first, 1) }).refused(Refusal::Unknown);
        let foreign = Relabel { platform: PlatformId::from_u128(2), ..relabel(first, 1) };
        given([]).when(foreign).refused(Refusal::Unknown);
    }
}
