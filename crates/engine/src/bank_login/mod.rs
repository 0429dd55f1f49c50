//! Bank logins: one challenge after another, until the bank shows the accounts of whoever logs in.
//!
//! Credentials and answers go to the bank and nowhere else. What a login needs to go on is in its token. What follows
//! from the accounts is decided elsewhere.

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

/// How long a challenge waits for its answer, in milliseconds: ten minutes (`docs/reference/api.md`, Bank logins).
const PATIENCE_MS: i64 = 10 * 60 * 1000;

/// Why a login does not go on.
#[derive(Debug, thiserror::Error)]
pub enum BankLoginError {
    /// The token was changed, has expired, is another's, or never was one.
    #[error("the token is unknown or has expired")]
    Token,
    /// The bank says no.
    #[error(transparent)]
    Link(#[from] BankLinkError),
    /// The token cannot be sealed.
    #[error(transparent)]
    Vault(#[from] daybook_vault::Error),
}

/// Who logs in: a token is good for nobody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Customer {
    /// The platform.
    pub platform: PlatformId,
    /// Its user.
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

/// A challenge as its caller sees it.
#[derive(Debug, PartialEq, Eq)]
pub struct Asked {
    /// What to go on with.
    pub access_token: String,
    /// What sort of answer is waited for.
    pub kind: ChallengeKind,
    /// The question.
    pub message: String,
}

/// Where a login stands.
pub enum Progress {
    /// The bank waits for an answer.
    Asked(Asked),
    /// The bank showed these accounts.
    Shown {
        /// The id for the first of their nodes.
        first: NodeId,
        /// At least one.
        accounts: Vec<LinkedAccount>,
    },
}

/// A login that waits, with the token that told so.
pub struct Waiting {
    token: Token,
    text: Secret,
}

impl Waiting {
    /// The id that its first node will have, or has by now.
    #[must_use]
    pub fn first(&self) -> NodeId {
        self.token.first
    }
}

/// Logs one user in at one moment, by the clock of its platform.
pub struct BankLogin<'a> {
    link: &'a dyn BankLink,
    vault: &'a Vault,
    entropy: Entropy,
    customer: Customer,
    now: Timestamp,
}

impl Engine {
    /// Logs `customer` in at banks; it is `now` for its platform.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
    pub async fn bank_login(&self, customer: Customer, now: Timestamp) -> Result<BankLogin<'_>, AccessError> {
        let link = self.bank_link(customer.platform).await?;
        Ok(BankLogin { link, vault: self.vault(), entropy: self.entropy(), customer, now })
    }
}

impl BankLogin<'_> {
    /// Begins a login whose nodes will have the ids from `first` on.
    ///
    /// # Errors
    ///
    /// [`BankLoginError`] if the bank says no.
    pub async fn begin(&self, first: NodeId, credentials: &Credentials) -> Result<Progress, BankLoginError> {
        match self.link.log_in(credentials).await? {
            Reply::Asks(challenge) => self.ask(first, challenge),
            Reply::Shows(accounts) => shown(first, accounts),
        }
    }

    /// The login that waits for an answer, as its token tells.
    ///
    /// # Errors
    ///
    /// [`BankLoginError::Token`] unless the token was made for this user, less than ten minutes ago.
    pub fn waiting(&self, text: Secret) -> Result<Waiting, BankLoginError> {
        let token = Token::open(text.expose(), self.customer, self.vault);
        let token = token.filter(|token| self.now < token.expires_at).ok_or(BankLoginError::Token)?;
        Ok(Waiting { token, text })
    }

    /// Goes on with an answer. A bank that asks the same again leaves the token as it is.
    ///
    /// # Errors
    ///
    /// [`BankLoginError`] if the bank says no.
    pub async fn go_on(&self, waiting: &Waiting, answer: &Secret) -> Result<Progress, BankLoginError> {
        let Waiting { token, text } = waiting;
        match self.link.answer(&token.session, answer).await? {
            Reply::Asks(Challenge { session, kind, message }) if session == token.session => {
                let access_token = text.expose().to_owned();
                Ok(Progress::Asked(Asked { access_token, kind, message }))
            }
            Reply::Asks(challenge) => self.ask(token.first, challenge),
            Reply::Shows(accounts) => shown(token.first, accounts),
        }
    }

    fn ask(&self, first: NodeId, challenge: Challenge) -> Result<Progress, BankLoginError> {
        let Challenge { session, kind, message } = challenge;
        let token = Token { first, expires_at: self.now.plus_ms(PATIENCE_MS), session };
        let access_token = token.seal(self.customer, self.vault, self.entropy)?;
        Ok(Progress::Asked(Asked { access_token, kind, message }))
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
