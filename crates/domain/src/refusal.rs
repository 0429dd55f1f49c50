//! Refusals of commands.

use crate::{
    breaks, custody, evidence, node, operation, platform, roles, statement, subnet, subscription,
    transaction, user,
};

/// A refused command, with a text for the API client. A refusal is expected, and nothing is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// About a platform.
    #[error(transparent)]
    Platform(#[from] platform::Refusal),
    /// About a user.
    #[error(transparent)]
    User(#[from] user::Refusal),
    /// About a node.
    #[error(transparent)]
    Node(#[from] node::Refusal),
    /// About a transaction.
    #[error(transparent)]
    Transaction(#[from] transaction::Refusal),
    /// About a platform's account at a bank.
    #[error(transparent)]
    Custody(#[from] custody::Refusal),
    /// About a bank's statement.
    #[error(transparent)]
    Statement(#[from] statement::Refusal),
    /// About the bank's files of one month.
    #[error(transparent)]
    Evidence(#[from] evidence::Refusal),
    /// About a line in suspense.
    #[error(transparent)]
    Break(#[from] breaks::Refusal),
    /// About an operation.
    #[error(transparent)]
    Operation(#[from] operation::Refusal),
    /// About the roles of operators.
    #[error(transparent)]
    Roles(#[from] roles::Refusal),
    /// About a subnet.
    #[error(transparent)]
    Subnet(#[from] subnet::Refusal),
    /// About a subscription.
    #[error(transparent)]
    Subscription(#[from] subscription::Refusal),
}
