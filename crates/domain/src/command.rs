//! Every command there is.

use crate::aggregate::{Fact, Key};
use crate::attachment::NewAttachment;
use crate::id::PlatformId;
use crate::refusal::Refusal;
use crate::state::States;
use crate::time::Timestamp;
use crate::{attestation, custody, node, operation, platform, subnet, subscription, transaction, user};

/// Asks for something; answered with facts or with a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Open a platform.
    OpenPlatform(Box<platform::open::Open>),
    /// Advance the clock of a sandbox.
    AdvanceClock(platform::clock::AdvanceClock),
    /// Create a user.
    CreateUser(Box<user::create::Create>),
    /// Take in the findings of an identity check.
    VerifyUser(user::verify::Verify),
    /// Set what a user may do.
    PermitUser(user::permit::Permit),
    /// Change what is known about a user.
    UpdateUser(Box<user::update::Update>),
    /// Say how long a user's records must be kept.
    RetainUser(user::retain::Retain),
    /// Erase a user.
    EraseUser(Box<user::erase::Erase>),
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
    CreateTransaction(Box<transaction::create::Create>),
    /// Take in money from outside, or give some out.
    Receive(Box<transaction::receive::Receive>),
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
    BookStatement(Box<custody::book::BookStatement>),
    /// Do what an operator asks for.
    Request(Box<operation::request::Request>),
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
    /// The aggregate that the command is about; what it makes, if it makes one.
    #[must_use]
    pub fn subject(&self) -> Key {
        match self {
            Self::OpenPlatform(command) => command.id.into(),
            Self::AdvanceClock(command) => command.platform.into(),
            Self::CreateUser(command) => command.id.into(),
            Self::VerifyUser(command) => command.user.into(),
            Self::PermitUser(command) => command.user.into(),
            Self::UpdateUser(command) => command.user.into(),
            Self::RetainUser(command) => command.user.into(),
            Self::EraseUser(command) => command.user.into(),
            Self::CreateNode(command) => command.id.into(),
            Self::LinkNodes(command) => command.first.into(),
            Self::VerifyMicroDeposits(command) => command.node.into(),
            Self::ResendMicroDeposits(command) => command.node.into(),
            Self::RelabelNode(command) => command.node.into(),
            Self::DeactivateNode(command) => command.node.into(),
            Self::CreateTransaction(command) => command.id.into(),
            Self::Receive(command) => command.id.into(),
            Self::Advance(command) => command.id.into(),
            Self::Cancel(command) => command.id.into(),
            Self::Queue(command) => command.id.into(),
            Self::Release(command) => command.id.into(),
            Self::Return(command) => command.id.into(),
            Self::Withdraw(command) => command.id.into(),
            Self::Comment(command) => command.id.into(),
            Self::CutFile(command) => command.custody.into(),
            Self::SendFile(command) => command.custody.into(),
            Self::BookStatement(command) => command.custody.into(),
            Self::Request(command) => command.id.into(),
            Self::Review(command) => command.id.into(),
            Self::CreateSubnet(command) => command.id.into(),
            Self::UpdateSubnet(command) => command.id.into(),
            Self::CreateSubscription(command) => command.id.into(),
            Self::ChangeSubscription(command) => command.id.into(),
            Self::Attest(command) => command.id().into(),
        }
    }

    /// What the command makes under an id that was chosen for it just now. Nobody needs to look whether it exists
    /// already; if it did, recording its first event once more would fail.
    #[must_use]
    pub fn makes(&self) -> Option<Key> {
        // The ids of a bank login are as old as the login: whoever ends it twice asks for nodes that are there. An
        // attestation continues the one before.
        let is_new = !matches!(self, Self::LinkNodes(_) | Self::Attest(_));
        self.makes_for().filter(|_| is_new).map(|_| self.subject())
    }

    /// The files that come with the command, under ids that were chosen for them just now.
    #[must_use]
    pub fn attachments(&self) -> &[NewAttachment] {
        match self {
            Self::CreateUser(command) => &command.attachments,
            Self::UpdateUser(command) => &command.attachments,
            Self::CreateTransaction(command) => &command.attachments,
            Self::OpenPlatform(_)
            | Self::AdvanceClock(_)
            | Self::VerifyUser(_)
            | Self::PermitUser(_)
            | Self::RetainUser(_)
            | Self::EraseUser(_)
            | Self::CreateNode(_)
            | Self::CreateSubnet(_)
            | Self::UpdateSubnet(_)
            | Self::CreateSubscription(_)
            | Self::ChangeSubscription(_)
            | Self::Attest(_)
            | Self::LinkNodes(_)
            | Self::ResendMicroDeposits(_)
            | Self::RelabelNode(_)
            | Self::DeactivateNode(_)
            | Self::VerifyMicroDeposits(_)
            | Self::Receive(_)
            | Self::Advance(_)
            | Self::Cancel(_)
            | Self::Queue(_)
            | Self::Release(_)
            | Self::Return(_)
            | Self::Withdraw(_)
            | Self::Comment(_)
            | Self::CutFile(_)
            | Self::SendFile(_)
            | Self::BookStatement(_)
            | Self::Request(_)
            | Self::Review(_) => &[],
        }
    }

    /// The platform that the command is about, as far as it can be told from the states at hand.
    #[must_use]
    pub fn platform(&self, states: &impl States) -> Option<PlatformId> {
        self.makes_for().or_else(|| states.state(self.subject())?.platform(self.subject()))
    }

    /// The platform for which the command makes something under an id of its own; none if it makes nothing.
    fn makes_for(&self) -> Option<PlatformId> {
        match self {
            Self::CreateUser(command) => Some(command.platform),
            Self::CreateNode(command) => Some(command.platform),
            Self::LinkNodes(command) => Some(command.platform),
            Self::CreateTransaction(command) => Some(command.platform),
            Self::Receive(command) => Some(command.platform),
            Self::Request(command) => Some(command.platform),
            Self::CreateSubnet(command) => Some(command.platform),
            Self::CreateSubscription(command) => Some(command.platform),
            Self::Attest(command) => Some(command.platform),
            // A platform is opened again at every start of a sandbox.
            Self::OpenPlatform(_)
            | Self::AdvanceClock(_)
            | Self::VerifyUser(_)
            | Self::PermitUser(_)
            | Self::UpdateUser(_)
            | Self::RetainUser(_)
            | Self::EraseUser(_)
            | Self::VerifyMicroDeposits(_)
            | Self::ResendMicroDeposits(_)
            | Self::RelabelNode(_)
            | Self::DeactivateNode(_)
            | Self::Advance(_)
            | Self::Cancel(_)
            | Self::Queue(_)
            | Self::Release(_)
            | Self::Return(_)
            | Self::Withdraw(_)
            | Self::Comment(_)
            | Self::CutFile(_)
            | Self::SendFile(_)
            | Self::BookStatement(_)
            | Self::Review(_)
            | Self::UpdateSubnet(_)
            | Self::ChangeSubscription(_) => None,
        }
    }

    /// The states that the decision looks at, as far as they can be told from those at hand. Asked again after those
    /// are there, until it names none that is missing; at most three times.
    ///
    /// The platform is always among them: its clock tells when the decision is taken.
    #[must_use]
    pub fn needs(&self, states: &impl States) -> Vec<Key> {
        let mut keys = match self {
            Self::OpenPlatform(command) => command.needs(states),
            Self::AdvanceClock(command) => command.needs(),
            Self::CreateUser(command) => command.needs(),
            Self::VerifyUser(command) => command.needs(),
            Self::PermitUser(command) => command.needs(),
            Self::UpdateUser(command) => command.needs(),
            Self::RetainUser(command) => command.needs(),
            Self::EraseUser(command) => command.needs(),
            Self::CreateNode(command) => command.needs(states),
            Self::LinkNodes(command) => command.needs(),
            Self::VerifyMicroDeposits(command) => command.needs(),
            Self::ResendMicroDeposits(command) => command.needs(states),
            Self::RelabelNode(command) => command.needs(),
            Self::DeactivateNode(command) => command.needs(),
            Self::CreateTransaction(command) => command.needs(states),
            Self::Receive(command) => command.needs(states),
            Self::Advance(command) => command.needs(states),
            Self::Cancel(command) => command.needs(states),
            Self::Queue(command) => command.needs(),
            Self::Release(command) => command.needs(states),
            Self::Return(command) => command.needs(states),
            Self::Withdraw(command) => command.needs(states),
            Self::Comment(command) => command.needs(states),
            Self::CutFile(command) => command.needs(states),
            Self::SendFile(command) => command.needs(),
            Self::BookStatement(command) => command.needs(),
            Self::Request(command) => command.needs(states),
            Self::Review(command) => command.needs(states),
            Self::CreateSubnet(command) => command.needs(),
            Self::UpdateSubnet(command) => command.needs(),
            Self::CreateSubscription(command) => command.needs(),
            Self::ChangeSubscription(command) => command.needs(),
            Self::Attest(command) => command.needs(),
        };
        let platform = self.platform(states).map(Key::from);
        keys.extend(platform.filter(|platform| !keys.contains(platform)));
        keys
    }

    /// Decides at `at` on the clock of the command's platform: facts to record, none if it is so already, or a refusal.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the rules say no.
    pub fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<Fact>, Refusal> {
        match self {
            Self::OpenPlatform(command) => command.decide(states, at),
            Self::AdvanceClock(command) => command.decide(states),
            Self::CreateUser(command) => command.decide(states),
            Self::VerifyUser(command) => command.decide(states),
            Self::PermitUser(command) => command.decide(states),
            Self::UpdateUser(command) => command.decide(states),
            Self::RetainUser(command) => command.decide(states),
            Self::EraseUser(command) => command.decide(states, at),
            Self::CreateNode(command) => command.decide(states, at),
            Self::LinkNodes(command) => command.decide(states),
            Self::VerifyMicroDeposits(command) => command.decide(states),
            Self::ResendMicroDeposits(command) => command.decide(states, at),
            Self::RelabelNode(command) => command.decide(states),
            Self::DeactivateNode(command) => command.decide(states),
            Self::CreateTransaction(command) => command.decide(states, at),
            Self::Receive(command) => command.decide(states, at),
            Self::Advance(command) => command.decide(states, at),
            Self::Cancel(command) => command.decide(states, at),
            Self::Queue(command) => command.decide(states),
            Self::Release(command) => command.decide(states, at),
            Self::Return(command) => command.decide(states, at),
            Self::Withdraw(command) => command.decide(states, at),
            Self::Comment(command) => command.decide(states),
            Self::CutFile(command) => command.decide(states),
            Self::SendFile(command) => command.decide(states),
            Self::BookStatement(command) => command.decide(states, at),
            Self::Request(command) => command.decide(states, at),
            Self::Review(command) => command.decide(states, at),
            Self::CreateSubnet(command) => command.decide(states),
            Self::UpdateSubnet(command) => command.decide(states),
            Self::CreateSubscription(command) => command.decide(states),
            Self::ChangeSubscription(command) => command.decide(states),
            Self::Attest(command) => command.decide(states),
        }
    }
}
