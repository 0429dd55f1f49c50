//! Where micro-deposits are no question: neither told nor sent again. Who asks all the same is noted once for each reason,
//! so that nobody fills the log.

use serde::{Deserialize, Serialize};

use super::event::MicroDepositsInapplicable;
use super::{Allowed, Node, NodeKind, Refusal};
use crate::aggregate::Fact;
use crate::id::NodeId;

/// Why micro-deposits are no question for a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inapplicable {
    /// Its type is not ACH-US.
    OtherType,
    /// What it allows is not CREDIT: it is verified already.
    NotCredit,
    /// It is not active.
    NotActive,
}

impl Inapplicable {
    /// As a part of a sentence.
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
    /// Why micro-deposits are no question for it, if so. A lock does not count: it may be taken off.
    const fn inapplicable(&self) -> Option<Inapplicable> {
        match (self.kind, self.permitted) {
            (NodeKind::AchUs, Allowed::Credit) if self.is_active => None,
            (NodeKind::AchUs, Allowed::Credit) => Some(Inapplicable::NotActive),
            (NodeKind::AchUs, _) => Some(Inapplicable::NotCredit),
            _ => Some(Inapplicable::OtherType),
        }
    }

    /// The answer to who tells or wants again what is no question; none if it is one.
    pub(crate) fn no_question(&self, id: NodeId) -> Option<Result<Vec<Fact>, Refusal>> {
        let reason = self.inapplicable()?;
        Some(if self.noted == Some(reason) {
            Err(Refusal::Inapplicable(reason))
        } else {
            Ok(vec![Fact::new(id, MicroDepositsInapplicable { reason })])
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
    fn each_reason_is_noted_once_whoever_asks_for_what() {
        let gone = Deactivate { node: OUTSIDE, platform: PLATFORM, by: ANN };
        let table = [
            (ANNS, Inapplicable::OtherType),
            (PULLED, Inapplicable::NotCredit),
            (OUTSIDE, Inapplicable::NotActive),
        ];
        for (id, reason) in table {
            let noted = Fact::new(id, MicroDepositsInapplicable { reason });
            let both: [fn(NodeId, UserId) -> Command; 2] = [tell, again];
            for [first, second] in [both, [again, tell]] {
                let world = given([gone.into()]).when(first(id, owner(id))).then([noted.clone()]);
                let world = world.when(second(id, owner(id))).refused(Refusal::Inapplicable(reason));
                world.when(first(id, BOB)).refused(Refusal::Unknown);
            }
        }
    }
}
