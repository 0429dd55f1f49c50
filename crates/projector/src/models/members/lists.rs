//! The lists, and the records that are members of them.

use daybook_domain::State;
use daybook_domain::transaction::{Party, Transaction};

/// Kind of a list. The numbers are stored and never reused. Statements contain the numbers of the kinds that members
/// can leave.
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
    /// Statements of a custody.
    StatementsOfCustody = 8,
}

impl ListKind {
    /// Returns the stored number.
    pub(crate) const fn code(self) -> i16 {
        self as i16
    }

    /// Returns true if members can leave lists of this kind.
    pub(super) const fn may_be_left(self) -> bool {
        matches!(self, Self::UsersOfPlatform | Self::NodesOfPlatform)
    }
}

/// A list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct List {
    /// Id of the owner: a user, a node, a platform or a custody.
    pub(crate) of: u128,
    /// Kind of the list.
    pub(crate) kind: ListKind,
}

/// Returns the list of which a record is a member from its creation on; none if there is none. A transaction is in
/// [several lists](lists_of_transaction).
pub(super) fn list_of(state: &State) -> Option<List> {
    let list = |kind, of| Some(List { of, kind });
    match state {
        State::User(user) => list(ListKind::UsersOfPlatform, user.platform.as_u128()),
        State::Node(node) => list(ListKind::NodesOfPlatform, node.platform.as_u128()),
        State::Subnet(subnet) => list(ListKind::SubnetsOfNode, subnet.node.as_u128()),
        State::Subscription(subscription) => {
            list(ListKind::SubscriptionsOfPlatform, subscription.platform.as_u128())
        }
        State::Statement(statement) => list(ListKind::StatementsOfCustody, statement.custody.as_u128()),
        State::Platform(_)
        | State::Account(_)
        | State::Transaction(_)
        | State::Custody(_)
        | State::Operation(_)
        | State::Attachment(_)
        | State::Attestation(_)
        | State::Evidence(_)
        | State::Break(_)
        | State::Roles(_) => None,
    }
}

/// Returns the lists of a transaction: those of its platform, its sender, its receiver, and the nodes of both. If a
/// user or a node is on both sides, its list has the transaction once. The list of the receiver leaves out a
/// micro-deposit, because the receiver has to prove the account by naming the amount.
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
