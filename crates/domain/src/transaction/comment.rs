//! Comment on a transaction's status. Moves nothing.

use super::Refusal;
use super::event::Commented;
use crate::aggregate::{Fact, Key};
use crate::id::{NodeId, PlatformId, TransactionId, UserId};
use crate::sealed::Sealed;
use crate::state::States;

/// Asks to record a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The transaction.
    pub id: TransactionId,
    /// The platform of the caller.
    pub platform: PlatformId,
    /// The caller; must own the side of the transaction that it came by.
    pub by: UserId,
    /// The node that the caller came by.
    pub node: NodeId,
    /// Box, class profile of the transaction's subject.
    pub comment: Sealed,
}

impl Comment {
    /// The states that the decision looks at.
    #[must_use]
    pub fn needs(&self) -> Vec<Key> {
        vec![self.id.into()]
    }

    /// Decides.
    pub fn decide(&self, states: &impl States) -> Result<Vec<Fact>, crate::Refusal> {
        let transaction = states.transaction(self.id).filter(|transaction| {
            let sides = [transaction.from, transaction.to];
            transaction.platform == self.platform
                && sides.iter().any(|side| side.user() == Some(self.by) && side.node() == Some(self.node))
        });
        transaction.ok_or(Refusal::Unknown)?;
        Ok(vec![Fact::new(self.id, Commented { by: self.by, comment: Some(self.comment.clone()) })])
    }
}
