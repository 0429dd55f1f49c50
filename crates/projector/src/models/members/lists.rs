//! Which lists there are, and what is in them.

use daybook_domain::State;
use daybook_domain::transaction::{Party, Transaction};

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

/// The list that a record is a member of, from its creation on, if it is in one. Transactions are in
/// [several](lists_of_transaction).
pub(super) fn list_of(state: &State) -> Option<List> {
    let list = |kind, of| Some(List { of, kind });
    match state {
        State::User(user) => list(ListKind::UsersOfPlatform, user.platform.as_u128()),
        State::Node(node) => list(ListKind::NodesOfPlatform, node.platform.as_u128()),
        State::Subnet(subnet) => list(ListKind::SubnetsOfNode, subnet.node.as_u128()),
        State::Subscription(subscription) => {
            list(ListKind::SubscriptionsOfPlatform, subscription.platform.as_u128())
        }
        State::Platform(_)
        | State::Account(_)
        | State::Transaction(_)
        | State::Custody(_)
        | State::Operation(_)
        | State::Attachment(_)
        | State::Attestation(_) => None,
    }
}

/// The lists that a transaction is in: its platform's, its sender's, its receiver's, and those of the nodes that it goes
/// from and to. Who is both sides has it once. A micro-deposit stays out of its receiver's, who shall tell its amount.
pub(crate) fn lists_of_transaction(transaction: &Transaction) -> [Option<List>; 5] {
    let platform = List { of: transaction.platform.as_u128(), kind: ListKind::TransactionsOfPlatform };
    let user = |party: &Party| Some((ListKind::TransactionsOfUser, party.user()?.as_u128()));
    let node = |party: &Party| Some((ListKind::TransactionsOfNode, party.node()?.as_u128()));
    let list = |(kind, of)| List { of, kind };
    let from = &transaction.from;
    let to = Some(&transaction.to).filter(|_| !transaction.is_micro_deposit);
    let [sender, from] = [user(from), node(from)].map(|found| found.map(list));
    let [receiver, to] = [to.and_then(user), to.and_then(node)].map(|found| found.map(list));
    [Some(platform), sender, receiver.filter(|_| receiver != sender), from, to.filter(|_| to != from)]
}
