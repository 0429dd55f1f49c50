//! Bank logins: a user answers a series of challenges until the bank shows the user's accounts.
//!
//! Credentials and answers go to the bank and nowhere else. The token of a login carries its whole state. The commands
//! that follow from the accounts are decided elsewhere.

mod account;
mod token;

use daybook_domain::{NodeId, PlatformId, Timestamp, UserId};
use daybook_vault::Vault;
use token::Token;

use crate::access::AccessError;
use crate::engine::Engine;
use crate::entropy::Entropy;
use crate::rails::bank_link::{
    BankLink, BankLinkError, Challenge, ChallengeKind, Credentials, LinkedAccount, Reply,
};
use crate::secret::Secret;

/// Time limit for answering a challenge, in milliseconds: ten minutes (`docs/reference/api.md`, Bank logins).
const CHALLENGE_TIMEOUT_MS: i64 = 10 * 60 * 1000;

/// Reason why a login cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum BankLoginError {
    /// The token was altered, has expired, belongs to another customer, or is not a token.
    #[error("the token is unknown or has expired")]
    Token,
    /// The bank or its provider refused.
    #[error(transparent)]
    Link(#[from] BankLinkError),
    /// The token cannot be sealed.
    #[error(transparent)]
    Vault(#[from] daybook_vault::Error),
}

/// The user who logs in. A token is valid for this customer only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Customer {
    /// Platform of the user.
    pub platform: PlatformId,
    /// The user.
    pub user: UserId,
}

impl Customer {
    fn bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(&self.platform.as_u128().to_be_bytes());
        bytes[16..].copy_from_slice(&self.user.as_u128().to_be_bytes());
        bytes
    }
}

/// A challenge as the caller sees it.
#[derive(Debug, PartialEq, Eq)]
pub struct LoginChallenge {
    /// Token with which the caller continues.
    pub access_token: String,
    /// Kind of answer that the bank expects.
    pub kind: ChallengeKind,
    /// Text of the question.
    pub message: String,
}

/// State of a login.
pub enum Progress {
    /// The bank waits for an answer.
    Challenged(LoginChallenge),
    /// The bank showed these accounts.
    Shown {
        /// Id for the first of their nodes.
        first: NodeId,
        /// The accounts; at least one.
        accounts: Vec<LinkedAccount>,
    },
}

/// A login that waits for an answer, with its token.
pub struct PendingLogin {
    token: Token,
    text: Secret,
}

impl PendingLogin {
    /// Returns the id of the login's first node. The node may exist already.
    #[must_use]
    pub fn first(&self) -> NodeId {
        self.token.first
    }
}

/// A bank login of one user, at one moment of the platform's clock.
pub struct BankLogin<'a> {
    link: &'a dyn BankLink,
    vault: &'a Vault,
    entropy: Entropy,
    customer: Customer,
    now: Timestamp,
}

impl Engine {
    /// Creates a bank login for `customer`. `now` is the time by the platform's clock.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn bank_login(&self, customer: Customer, now: Timestamp) -> Result<BankLogin<'_>, AccessError> {
        let link = self.bank_link(customer.platform).await?;
        Ok(BankLogin { link, vault: self.vault(), entropy: self.entropy(), customer, now })
    }
}

impl BankLogin<'_> {
    /// Begins a login. Its nodes will have the ids from `first` on.
    ///
    /// # Errors
    ///
    /// [`BankLoginError`] if the bank refuses.
    pub async fn begin(&self, first: NodeId, credentials: &Credentials) -> Result<Progress, BankLoginError> {
        match self.link.log_in(credentials).await? {
            Reply::Asks(challenge) => self.ask(first, challenge),
            Reply::Shows(accounts) => shown(first, accounts),
        }
    }

    /// Reads the state of a waiting login from its token.
    ///
    /// # Errors
    ///
    /// [`BankLoginError::Token`] unless the token was issued to this customer less than ten minutes ago.
    pub fn waiting(&self, text: Secret) -> Result<PendingLogin, BankLoginError> {
        let token = Token::open(text.expose(), self.customer, self.vault);
        let token = token.filter(|token| self.now < token.expires_at).ok_or(BankLoginError::Token)?;
        Ok(PendingLogin { token, text })
    }

    /// Continues a login with an answer. If the bank repeats the same challenge, the token stays the same.
    ///
    /// # Errors
    ///
    /// [`BankLoginError`] if the bank refuses.
    pub async fn go_on(&self, waiting: &PendingLogin, answer: &Secret) -> Result<Progress, BankLoginError> {
        let PendingLogin { token, text } = waiting;
        match self.link.answer(&token.session, answer).await? {
            Reply::Asks(Challenge { session, kind, message }) if session == token.session => {
                let access_token = text.expose().to_owned();
                Ok(Progress::Challenged(LoginChallenge { access_token, kind, message }))
            }
            Reply::Asks(challenge) => self.ask(token.first, challenge),
            Reply::Shows(accounts) => shown(token.first, accounts),
        }
    }

    fn ask(&self, first: NodeId, challenge: Challenge) -> Result<Progress, BankLoginError> {
        let Challenge { session, kind, message } = challenge;
        let token = Token { first, expires_at: self.now.plus_ms(CHALLENGE_TIMEOUT_MS), session };
        let access_token = token.seal(self.customer, self.vault, self.entropy)?;
        Ok(Progress::Challenged(LoginChallenge { access_token, kind, message }))
    }
}

fn shown(first: NodeId, accounts: Vec<LinkedAccount>) -> Result<Progress, BankLoginError> {
    if accounts.is_empty() {
        return Err(BankLinkError::NoAccounts.into());
    }
    Ok(Progress::Shown { first, accounts })
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
