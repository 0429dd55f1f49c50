//! Which lists there are, and what is in them.

use std::collections::BTreeSet;

use daybook_domain::State;
use daybook_domain::transaction::Transaction;

/// What a list is of. The numbers are stored, and never reused; which of them members leave stands in statements,
/// too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i16)]
pub(crate) enum ListKind {
    /// Transactions in which a user sends or receives.
    TransactionsOfUser = 1,
    /// Transactions in which a node sends or receives.
    TransactionsOfNode = 2,
    /// Transactions of a platform.
    TransactionsOfPlatform = 3,
    /// Users of a platform.
    UsersOfPlatform = 4,
    /// Nodes of a platform.
    NodesOfPlatform = 5,
    /// Subnets of a node.
    SubnetsOfNode = 6,
    /// Subscriptions of a platform.
    SubscriptionsOfPlatform = 7,
}

impl ListKind {
    /// The stored number.
    pub(crate) const fn code(self) -> i16 {
        self as i16
    }

    /// Whether members may leave it.
    pub(super) const fn may_be_left(self) -> bool {
        matches!(self, Self::UsersOfPlatform | Self::NodesOfPlatform)
    }
}

/// A list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct List {
    /// Whose it is.
    pub(crate) of: u128,
    /// What it is of.
    pub(crate) kind: ListKind,
}

/// The lists that a record is a member of, from its creation on.
pub(super) fn lists_of(state: &State) -> Vec<List> {
    let list = |kind, of| List { of, kind };
    match state {
        State::Transaction(transaction) => lists_of_transaction(transaction),
        State::User(user) => vec![list(ListKind::UsersOfPlatform, user.platform.as_u128())],
        State::Node(node) => vec![list(ListKind::NodesOfPlatform, node.platform.as_u128())],
        State::Subnet(subnet) => vec![list(ListKind::SubnetsOfNode, subnet.node.as_u128())],
        State::Subscription(subscription) => {
            vec![list(ListKind::SubscriptionsOfPlatform, subscription.platform.as_u128())]
        }
        State::Platform(_)
        | State::Account(_)
        | State::Custody(_)
        | State::Operation(_)
        | State::Attachment(_)
        | State::Attestation(_) => vec![],
    }
}

/// Those of both sides, once if they are one, and the platform's. A micro-deposit stays out of its receiver's, who shall
/// tell its amount.
fn lists_of_transaction(transaction: &Transaction) -> Vec<List> {
    let receiver = Some(&transaction.to).filter(|_| !transaction.is_micro_deposit);
    let sides = || [Some(&transaction.from), receiver].into_iter().flatten();
    let users = sides().filter_map(|side| Some((ListKind::TransactionsOfUser, side.user()?.as_u128())));
    let nodes = sides().filter_map(|side| Some((ListKind::TransactionsOfNode, side.node()?.as_u128())));
    let platform = (ListKind::TransactionsOfPlatform, transaction.platform.as_u128());
    let lists: BTreeSet<List> =
        users.chain(nodes).chain([platform]).map(|(kind, of)| List { of, kind }).collect();
    lists.into_iter().collect()
}
