//! Comment on a transaction's status. No money moves.

use super::Refusal;
use super::event::Commented;
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{NodeId, PlatformId, TransactionId, UserId};
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::Timestamp;
use crate::user::erase::check_sealable;

/// Command to record a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The transaction.
    pub id: TransactionId,
    /// Platform of the caller.
    pub platform: PlatformId,
    /// The calling user, which must own `node`; the node must be a party of the transaction.
    pub by: UserId,
    /// The node in the path of the call.
    pub node: NodeId,
    /// Sealed box, class profile, of the transaction's subject: the comment.
    pub comment: Sealed,
}

impl Decide for Comment {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, states: &impl States) -> Vec<Key> {
        let subject = states.transaction(self.id).map(|transaction| transaction.subject.into());
        subject.into_iter().chain([self.id.into()]).collect()
    }

    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let transaction = states.transaction(self.id).filter(|transaction| {
            let sides = [transaction.from, transaction.to];
            transaction.platform == self.platform
                && sides.iter().any(|side| side.user() == Some(self.by) && side.node() == Some(self.node))
        });
        let transaction = transaction.ok_or(Refusal::Unknown)?;
        check_sealable(states, transaction.subject)?;
        Ok(vec![NewEvent::new(self.id, Commented { by: self.by, comment: Some(self.comment.clone()) })])
    }

    fn weight(&self) -> usize {
        self.comment.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fixture::{
        ANN, ANNS, BOB, BOBS, CAT, CATS, PLATFORM, RESERVE, credit, debit, fund, happened, income, pay,
        sealed, settle, transaction,
    };
    use crate::testing::given;

    fn comment(by: UserId, node: NodeId) -> Comment {
        Comment { id: transaction(1), platform: PLATFORM, by, node, comment: sealed(5) }
    }

    #[test]
    fn both_parties_may_comment_at_any_time() {
        let steps = [debit(1), credit(1), settle(1)];
        for taken in 0..=steps.len() {
            for (by, node) in [(ANN, ANNS), (BOB, BOBS)] {
                let history = [fund(ANNS, 100), pay(1, 60)].into_iter().chain(steps[..taken].to_vec());
                let before = given(history);
                let commented = happened(1, Commented { by, comment: Some(sealed(5)) });
                assert_eq!(before.clone().when(comment(by, node)).then([commented]), before);
            }
        }
    }

    #[test]
    fn transaction_is_unknown_to_strangers() {
        let history = || given([pay(1, 60)]);
        let foreign = Comment { platform: PlatformId::from_u128(2), ..comment(ANN, ANNS) };
        let mixed =
            [comment(CAT, CATS), comment(ANN, BOBS), comment(BOB, ANNS), comment(ANN, RESERVE), foreign];
        for command in mixed {
            history().when(command).refused(Refusal::Unknown);
        }
        given([]).when(comment(ANN, ANNS)).refused(Refusal::Unknown);
    }

    #[test]
    fn receiver_of_external_money_may_comment() {
        let income = income(ANNS, 100);
        given([income.clone().into()]).when(Comment { id: income.id, ..comment(ANN, ANNS) }).accepted();
    }
}
