//! Every command there is, and every refusal.

use crate::aggregate::{Fact, Key};
use crate::state::States;
use crate::time::Timestamp;
use crate::{node, platform, transaction, user};

/// Asks for something; answered with facts or with a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Open a platform.
    OpenPlatform(Box<platform::open::Open>),
    /// Create a user.
    CreateUser(Box<user::create::Create>),
    /// Take in the findings of an identity check.
    VerifyUser(user::verify::Verify),
    /// Create a node.
    CreateNode(node::create::Create),
    /// Create a transaction.
    CreateTransaction(Box<transaction::create::Create>),
    /// Take in money from outside.
    Receive(Box<transaction::receive::Receive>),
    /// Let a transaction take its next step.
    Advance(transaction::advance::Advance),
    /// Comment on a transaction.
    Comment(transaction::comment::Comment),
}

/// A no, with a text for the customer. Expected; nothing was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// About a user.
    #[error(transparent)]
    User(#[from] user::Refusal),
    /// About a node.
    #[error(transparent)]
    Node(#[from] node::Refusal),
    /// About a transaction.
    #[error(transparent)]
    Transaction(#[from] transaction::Refusal),
}

impl Command {
    /// The aggregate that the command is about; what it makes, if it makes one.
    #[must_use]
    pub fn subject(&self) -> Key {
        match self {
            Self::OpenPlatform(command) => command.id.into(),
            Self::CreateUser(command) => command.id.into(),
            Self::VerifyUser(command) => command.user.into(),
            Self::CreateNode(command) => command.id.into(),
            Self::CreateTransaction(command) => command.id.into(),
            Self::Receive(command) => command.id.into(),
            Self::Advance(command) => command.id.into(),
            Self::Comment(command) => command.id.into(),
        }
    }

    /// What the command makes under an id that was chosen for it just now. Nobody needs to look whether it exists
    /// already; if it did, recording its first event once more would fail.
    #[must_use]
    pub fn makes(&self) -> Option<Key> {
        match self {
            Self::CreateUser(_) | Self::CreateNode(_) | Self::CreateTransaction(_) | Self::Receive(_) => {
                Some(self.subject())
            }
            // A platform is opened again at every start of a sandbox.
            Self::OpenPlatform(_) | Self::VerifyUser(_) | Self::Advance(_) | Self::Comment(_) => None,
        }
    }

    /// The states that the decision looks at, as far as they can be told from those at hand. Asked again after those
    /// are there, until it names none that is missing; at most three times.
    #[must_use]
    pub fn needs(&self, states: &impl States) -> Vec<Key> {
        match self {
            Self::OpenPlatform(command) => command.needs(),
            Self::CreateUser(command) => command.needs(),
            Self::VerifyUser(command) => command.needs(),
            Self::CreateNode(command) => command.needs(),
            Self::CreateTransaction(command) => command.needs(states),
            Self::Receive(command) => command.needs(),
            Self::Advance(command) => command.needs(states),
            Self::Comment(command) => command.needs(),
        }
    }

    /// Decides: facts to record, none if it is so already, or a refusal.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the rules say no.
    pub fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<Fact>, Refusal> {
        match self {
            Self::OpenPlatform(command) => command.decide(states, at),
            Self::CreateUser(command) => command.decide(states),
            Self::VerifyUser(command) => command.decide(states),
            Self::CreateNode(command) => command.decide(states),
            Self::CreateTransaction(command) => command.decide(states, at),
            Self::Receive(command) => command.decide(states, at),
            Self::Advance(command) => command.decide(states, at),
            Self::Comment(command) => command.decide(states),
        }
    }
}
