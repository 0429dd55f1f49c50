//! Every command there is.

use crate::aggregate::{Fact, Key};
use crate::attachment::NewAttachment;
use crate::decide::Decide;
use crate::id::PlatformId;
use crate::refusal::Refusal;
use crate::state::States;
use crate::time::Timestamp;
use crate::{attestation, custody, node, operation, platform, subnet, subscription, transaction, user};

/// Makes of the table `Name(Type)` the enum [`Command`], and answers each question of [`Decide`] by the command inside:
/// `fn subject(&self)` is `match self { Self::Name(command) => command.subject(), … }`. `in Box` behind a large one is
/// `Name(Box<Type>)`.
macro_rules! commands {
    (@held $command:ty) => { $command };
    (@held $command:ty, $room:ident) => { $room<$command> };
    ($($(#[$doc:meta])* $name:ident($command:ty) $(in $room:ident)?,)*) => {
        /// Asks for something; answered with facts or with a refusal.
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

            /// The platform is always among them: its clock tells when the decision is taken.
            fn needs(&self, states: &impl States) -> Vec<Key> {
                let mut keys = match self { $(Self::$name(command) => command.needs(states),)* };
                let platform = self.platform(states).map(Key::from);
                keys.extend(platform.filter(|platform| !keys.contains(platform)));
                keys
            }

            fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<Fact>, Refusal> {
                match self { $(Self::$name(command) => command.decide(states, at),)* }
            }

            fn makes_for(&self) -> Option<PlatformId> {
                match self { $(Self::$name(command) => command.makes_for(),)* }
            }

            fn makes(&self) -> Option<Key> {
                match self { $(Self::$name(command) => command.makes(),)* }
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
    /// Take in the findings of an identity check.
    VerifyUser(user::verify::Verify),
    /// Set what a user may do.
    PermitUser(user::permit::Permit),
    /// Change what is known about a user.
    UpdateUser(user::update::Update) in Box,
    /// Say how long a user's records must be kept.
    RetainUser(user::retain::Retain),
    /// Erase a user.
    EraseUser(user::erase::Erase) in Box,
    /// Create a node.
    CreateNode(node::create::Create),
    /// Create a node for each account that a bank showed.
    LinkNodes(node::link::Link),
    /// Take in what the owner of a node says was sent to it.
    VerifyMicroDeposits(node::verify::VerifyMicroDeposits),
    /// Send the micro-deposits to a node again.
    ResendMicroDeposits(node::resend::ResendMicroDeposits),
    /// Give a node other labels.
    RelabelNode(node::relabel::Relabel),
    /// Delete a node.
    DeactivateNode(node::deactivate::Deactivate),
    /// Create a transaction.
    CreateTransaction(transaction::create::Create) in Box,
    /// Take in money from outside, or give some out.
    Receive(transaction::receive::Receive) in Box,
    /// Let a transaction take its next step.
    Advance(transaction::advance::Advance),
    /// End a transaction that has not left.
    Cancel(transaction::cancel::Cancel),
    /// Hold a transaction back.
    Queue(transaction::queue::Queue),
    /// Look again at a transaction that is held back.
    Release(transaction::queue::Release),
    /// Send a transaction back.
    Return(transaction::returning::Return),
    /// Take a leg out of a file that had no place for it.
    Withdraw(transaction::withdraw::Withdraw),
    /// Comment on a transaction.
    Comment(transaction::comment::Comment),
    /// Put what a rail has to send into a file.
    CutFile(custody::cut::CutFile),
    /// Take in that the bank took a file.
    SendFile(custody::cut::SendFile),
    /// Book the bank's statement of a day.
    BookStatement(custody::book::BookStatement) in Box,
    /// Do what an operator asks for.
    Request(operation::request::Request) in Box,
    /// Approve or decline what an operator asks for.
    Review(operation::review::Review),
    /// Create a subnet.
    CreateSubnet(subnet::create::Create),
    /// Change a subnet.
    UpdateSubnet(subnet::update::Update),
    /// Create a subscription.
    CreateSubscription(subscription::create::Create),
    /// Change a subscription.
    ChangeSubscription(subscription::change::Change),
    /// Commit to what a platform's accounts held.
    Attest(attestation::attest::Attest),
}

impl Command {
    /// The platform that the command is about, as far as it can be told from the states at hand.
    #[must_use]
    pub fn platform(&self, states: &impl States) -> Option<PlatformId> {
        self.makes_for().or_else(|| states.state(self.subject())?.platform(self.subject()))
    }
}
