//! The enum of all commands.

use crate::aggregate::{Key, NewEvent};
use crate::attachment::NewAttachment;
use crate::decide::Decide;
use crate::id::PlatformId;
use crate::refusal::Refusal;
use crate::state::States;
use crate::time::Timestamp;
use crate::{
    attestation, breaks, custody, evidence, node, operation, platform, roles, statement, subnet,
    subscription, transaction, user,
};

/// Generates from the table `Name(Type)` the enum [`Command`]. Every method of [`Decide`] is delegated to the command
/// inside: `fn subject(&self)` becomes `match self { Self::Name(command) => command.subject(), … }`. The suffix
/// `in Box` stores a large command as `Name(Box<Type>)`.
macro_rules! commands {
    (@held $command:ty) => { $command };
    (@held $command:ty, $room:ident) => { $room<$command> };
    ($($(#[$doc:meta])* $name:ident($command:ty) $(in $room:ident)?,)*) => {
        /// A command: a request to change the ledger. Its decision returns new events or a refusal.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Command {
            $($(#[$doc])* $name(commands!(@held $command $(, $room)?)),)*
        }

        $(impl From<$command> for Command {
            fn from(command: $command) -> Self {
                Self::$name(command.into())
            }
        })*

        impl Decide for Command {
            fn subject(&self) -> Key {
                match self { $(Self::$name(command) => command.subject(),)* }
            }

            /// The platform of the command is always included, because its clock gives the time of the decision.
            fn needs(&self, states: &impl States) -> Vec<Key> {
                let mut keys = match self { $(Self::$name(command) => command.needs(states),)* };
                let platform = self.platform(states).map(Key::from);
                keys.extend(platform.filter(|platform| !keys.contains(platform)));
                keys
            }

            fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, Refusal> {
                match self { $(Self::$name(command) => command.decide(states, at),)* }
            }

            fn platform_of_new(&self) -> Option<PlatformId> {
                match self { $(Self::$name(command) => command.platform_of_new(),)* }
            }

            fn creates(&self) -> Option<Key> {
                match self { $(Self::$name(command) => command.creates(),)* }
            }

            fn weight(&self) -> usize {
                match self { $(Self::$name(command) => command.weight(),)* }
            }

            fn attachments(&self) -> &[NewAttachment] {
                match self { $(Self::$name(command) => command.attachments(),)* }
            }
        }
    };
}

commands! {
    /// Open a platform.
    OpenPlatform(platform::open::Open) in Box,
    /// Advance the clock of a sandbox.
    AdvanceClock(platform::clock::AdvanceClock),
    /// Create a user.
    CreateUser(user::create::Create) in Box,
    /// Record the findings of an identity check.
    VerifyUser(user::verify::Verify),
    /// Set the permission of a user.
    PermitUser(user::permit::Permit),
    /// Change the profile or the documents of a user.
    UpdateUser(user::update::Update) in Box,
    /// Set the retention of a user's records, and its legal hold.
    RetainUser(user::retain::Retain),
    /// Erase a user: its keys are destroyed (crypto-shredding).
    EraseUser(user::erase::Erase) in Box,
    /// Create a node.
    CreateNode(node::create::Create),
    /// Create a node for each account that a bank login showed.
    LinkNodes(node::link::Link),
    /// Check the micro-deposit amounts that the owner of a node reports.
    VerifyMicroDeposits(node::verify::VerifyMicroDeposits),
    /// Send the micro-deposits to a node again.
    ResendMicroDeposits(node::resend::ResendMicroDeposits),
    /// Change the labels of a node.
    RelabelNode(node::relabel::Relabel),
    /// Correct the account data of a node, as a bank's notification of change says.
    CorrectNode(node::correct::Correct),
    /// Deactivate a node, as its owner asks.
    DeactivateNode(node::deactivate::Deactivate),
    /// Create a transaction.
    CreateTransaction(transaction::create::Create) in Box,
    /// Record a transfer from or to the outside that settles at once.
    ExternalTransfer(transaction::external_transfer::ExternalTransfer) in Box,
    /// Move a transaction to its next status.
    Advance(transaction::advance::Advance),
    /// Cancel a transaction before its money has left.
    Cancel(transaction::cancel::Cancel),
    /// Queue a transaction: hold it back for a reason.
    Queue(transaction::queue::Queue),
    /// Screen a queued transaction again, and release it if no reason is left.
    Release(transaction::queue::Release),
    /// Return a transaction (ACH return, chargeback).
    ReturnTransaction(transaction::returns::ReturnTransaction),
    /// Record that a bank contests a dishonored return.
    RecordContest(transaction::contest::RecordContest),
    /// Withdraw a leg that no file of its rail can carry.
    Withdraw(transaction::withdraw::Withdraw),
    /// Comment on a transaction.
    Comment(transaction::comment::Comment),
    /// Cut a file: collect the entries that are due on one rail.
    CutFile(custody::cut::CutFile),
    /// Record that the bank accepted a file.
    SendFile(custody::cut::SendFile),
    /// Book the bank's statement of one day.
    BookStatement(custody::book::BookStatement) in Box,
    /// Set the number of an account at the bank.
    SetAccount(custody::account::SetAccount),
    /// Record the end of a run of the matching rules.
    EndMatching(custody::rules::EndMatching),
    /// Keep a part of a bank's file.
    KeepPart(evidence::keep::KeepPart) in Box,
    /// Destroy the keys of evidence whose retention has ended.
    DestroyEvidence(evidence::destroy::DestroyEvidence),
    /// Set the roles of an operator.
    SetRoles(roles::set::SetRoles),
    /// Accept the statements of a bank's file.
    AcceptStatements(statement::accept::AcceptStatements) in Box,
    /// Book the next lines of a statement.
    BookLines(statement::book::BookLines) in Box,
    /// Take back the last booked lines of a replaced statement.
    TakeBackLines(statement::take_back::TakeBackLines) in Box,
    /// Match a line in suspense.
    MatchLine(breaks::match_line::MatchLine) in Box,
    /// Take back a match of a line.
    UnmatchLine(breaks::unmatch::UnmatchLine) in Box,
    /// Request an act as an operator.
    Request(operation::request::Request) in Box,
    /// Approve or decline a requested act.
    Review(operation::review::Review),
    /// Create a subnet.
    CreateSubnet(subnet::create::Create),
    /// Change a subnet.
    UpdateSubnet(subnet::update::Update),
    /// Create a subscription.
    CreateSubscription(subscription::create::Create),
    /// Change a subscription.
    ChangeSubscription(subscription::change::Change),
    /// Commit to the newest entries of a platform's accounts (attestation).
    Attest(attestation::attest::Attest),
}

impl Command {
    /// The platform that the command concerns; `None` if the aggregate that names it is not in `states`.
    #[must_use]
    pub fn platform(&self, states: &impl States) -> Option<PlatformId> {
        self.platform_of_new().or_else(|| states.state(self.subject())?.platform(self.subject()))
    }
}
