//! Nodes to which micro-deposits do not apply: the owner can neither report nor request them. A call that does so all
//! the same is recorded once for each reason, so that repeated calls cannot fill the log.

use serde::{Deserialize, Serialize};

use super::event::MicroDepositsInapplicable;
use super::{Allowed, Node, NodeKind, Refusal};
use crate::aggregate::NewEvent;
use crate::id::NodeId;

/// Reason for which micro-deposits do not apply to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inapplicable {
    /// The type is not ACH-US.
    OtherType,
    /// `allowed` is not CREDIT: the node is verified already.
    NotCredit,
    /// The node is not active.
    NotActive,
}

impl Inapplicable {
    /// The reason as a part of a sentence.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OtherType => "the node's type is not ACH-US",
            Self::NotCredit => "allowed is not CREDIT",
            Self::NotActive => "the node is not active",
        }
    }
}

impl Node {
    /// Reason for which micro-deposits do not apply to the node, if any. A lock is no such reason: it may be removed.
    const fn inapplicable(&self) -> Option<Inapplicable> {
        match (self.kind, self.permitted) {
            (NodeKind::AchUs, Allowed::Credit) if self.is_active => None,
            (NodeKind::AchUs, Allowed::Credit) => Some(Inapplicable::NotActive),
            (NodeKind::AchUs, _) => Some(Inapplicable::NotCredit),
            _ => Some(Inapplicable::OtherType),
        }
    }

    /// Decision about a report or a request that does not apply; `None` if micro-deposits apply to the node.
    pub(crate) fn no_question(&self, id: NodeId) -> Option<Result<Vec<NewEvent>, Refusal>> {
        let reason = self.inapplicable()?;
        Some(if self.noted == Some(reason) {
            Err(Refusal::Inapplicable(reason))
        } else {
            Ok(vec![NewEvent::new(id, MicroDepositsInapplicable { reason })])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Command;
    use crate::id::UserId;
    use crate::node::deactivate::Deactivate;
    use crate::node::micro_deposits::MicroDeposits;
    use crate::node::resend::ResendMicroDeposits;
    use crate::node::verify::VerifyMicroDeposits;
    use crate::testing::fixture::{ANN, ANNS, BOB, OUTSIDE, PLATFORM, PULLED, owner, transaction};
    use crate::testing::given;

    fn tell(node: NodeId, by: UserId) -> Command {
        VerifyMicroDeposits { node, platform: PLATFORM, by, amounts: [1, 1] }.into()
    }

    fn again(node: NodeId, by: UserId) -> Command {
        let micro_deposits = MicroDeposits { amounts: [1, 1], transactions: [1, 2].map(transaction) };
        ResendMicroDeposits { node, platform: PLATFORM, by, micro_deposits }.into()
    }

    #[test]
    fn inapplicable_reason_is_recorded_once() {
        let gone = Deactivate { node: OUTSIDE, platform: PLATFORM, by: ANN };
        let table = [
            (ANNS, Inapplicable::OtherType),
            (PULLED, Inapplicable::NotCredit),
            (OUTSIDE, Inapplicable::NotActive),
        ];
        for (id, reason) in table {
            let noted = NewEvent::new(id, MicroDepositsInapplicable { reason });
            let both: [fn(NodeId, UserId) -> Command; 2] = [tell, again];
            for [first, second] in [both, [again, tell]] {
                let world = given([gone.into()]).when(first(id, owner(id))).then([noted.clone()]);
                let world = world.when(second(id, owner(id))).refused(Refusal::Inapplicable(reason));
                world.when(first(id, BOB)).refused(Refusal::Unknown);
            }
        }
    }
}
