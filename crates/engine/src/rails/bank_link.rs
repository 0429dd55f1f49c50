//! The port to whoever logs in at banks for their customers: credentials go in, challenges and accounts come out.

mod sandbox;

use async_trait::async_trait;
use daybook_domain::Money;
pub use sandbox::SandboxBankLink;

use super::AccountClass;
use crate::secret::Secret;

/// The most bytes of a [`Session`]: the token that it travels in has to fit the bounds of a text.
pub const MAX_SESSION: usize = 400;

/// Why a login does not go on. No text here, nor of any source, repeats what the customer told.
#[derive(Debug, thiserror::Error)]
pub enum BankLinkError {
    /// Nobody here can log in at banks.
    #[error("no provider of bank logins is configured")]
    NoProvider,
    /// The bank is unknown, or does not know the customer by these credentials.
    #[error("the bank refuses the login")]
    Refused,
    /// The bank does not wait for an answer any more.
    #[error("the login is over")]
    Over,
    /// The login is right, and there is nothing to link.
    #[error("the bank shows no accounts")]
    NoAccounts,
    /// The way to the bank is blocked.
    #[error("the bank cannot be reached")]
    Unreachable(#[source] std::io::Error),
}

/// What a customer shows its bank.
#[derive(Debug)]
pub struct Credentials {
    /// Which bank.
    pub bank_name: String,
    /// Who the customer is there.
    pub bank_id: Secret,
    /// And how that is proved.
    pub bank_pw: Secret,
}

/// By what the provider knows a login that waits for an answer. It travels sealed in the hands of the caller.
#[derive(Clone, PartialEq, Eq)]
pub struct Session(Vec<u8>);

impl Session {
    /// The session with these bytes; none if there are more than [`MAX_SESSION`].
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Option<Self> {
        (bytes.len() <= MAX_SESSION).then_some(Self(bytes))
    }

    /// Its bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// What sort of answer a bank waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChallengeKind {
    /// To a question of its own.
    Question,
    /// A code that it sent.
    Code,
}

/// What a bank asks before it shows anything.
pub struct Challenge {
    /// The login that waits. As long as these are the same bytes, it is the same challenge.
    pub session: Session,
    /// What sort of answer it waits for.
    pub kind: ChallengeKind,
    /// The question, for the customer to read.
    pub message: String,
}

/// An account as its bank shows it.
pub struct LinkedAccount {
    /// What the bank calls it.
    pub nickname: String,
    /// Its number.
    pub account_num: String,
    /// The bank's routing number.
    pub routing_num: String,
    /// What sort of account it is.
    pub class: AccountClass,
    /// Whether it is a company's.
    pub is_business: bool,
    /// The bank's name in short.
    pub bank_name: String,
    /// And in full.
    pub bank_long_name: String,
    /// Where the bank is.
    pub address: String,
    /// What is on it: the bank's word and not ours.
    pub balance: Money,
    /// Whose it is.
    pub holder: Holder,
}

/// Whose account it is, as far as the bank tells.
#[derive(Clone, Default)]
pub struct Holder {
    /// Name.
    pub name: Option<String>,
    /// E-mail address.
    pub email: Option<String>,
    /// Phone number.
    pub phone: Option<String>,
}

/// How a bank answers.
pub enum Reply {
    /// It wants to know something first.
    Asks(Challenge),
    /// It shows the customer's accounts.
    Shows(Vec<LinkedAccount>),
}

/// A bank at which somebody can be logged in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Institution {
    /// What it is called in [`Credentials::bank_name`].
    pub code: String,
    /// Its name.
    pub name: String,
    /// What a login there gives.
    pub features: Vec<String>,
    /// Where its customers go who forgot their password; empty if nowhere.
    pub forgotten_password: String,
    /// Whether a login works at present.
    pub is_active: bool,
    /// Where there is a picture of its logo; empty if nowhere.
    pub logo: String,
    /// How many months back it shows what moved on an account.
    pub history_months: u32,
}

/// Logs in at banks. Whoever implements it keeps neither credentials nor answers, and logs neither.
#[async_trait]
pub trait BankLink: Send + Sync + 'static {
    /// The banks at which it can log in, in an order of its own.
    async fn institutions(&self) -> Result<Vec<Institution>, BankLinkError>;

    /// Logs in.
    async fn log_in(&self, credentials: &Credentials) -> Result<Reply, BankLinkError>;

    /// Goes on with the customer's answer. A wrong one may be asked for again, in the same session.
    async fn answer(&self, session: &Session, answer: &Secret) -> Result<Reply, BankLinkError>;
}

/// For deployments without a provider.
pub struct NoBankLink;

#[async_trait]
impl BankLink for NoBankLink {
    async fn institutions(&self) -> Result<Vec<Institution>, BankLinkError> {
        Ok(vec![])
    }

    async fn log_in(&self, _: &Credentials) -> Result<Reply, BankLinkError> {
        Err(BankLinkError::NoProvider)
    }

    async fn answer(&self, _: &Session, _: &Secret) -> Result<Reply, BankLinkError> {
        Err(BankLinkError::NoProvider)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_short_enough_for_its_token() {
        assert!(Session::new(vec![1; MAX_SESSION]).is_some());
        assert!(Session::new(vec![1; MAX_SESSION + 1]).is_none());
    }

    #[test]
    fn credentials_are_not_printed() {
        let secret = |text: &str| Secret::new(text.to_owned());
        let credentials =
            Credentials { bank_name: "fake".into(), bank_id: secret("me"), bank_pw: secret("mine") };
        let printed = r#"Credentials { bank_name: "fake", bank_id: Secret, bank_pw: Secret }"#;
        assert_eq!(format!("{credentials:?}"), printed);
    }

    #[tokio::test]
    async fn without_a_provider_nobody_logs_in_anywhere() {
        assert!(matches!(NoBankLink.institutions().await, Ok(none) if none.is_empty()));
        let secret = || Secret::new("test1234".to_owned());
        let credentials = Credentials { bank_name: "fake".into(), bank_id: secret(), bank_pw: secret() };
        assert!(matches!(NoBankLink.log_in(&credentials).await, Err(BankLinkError::NoProvider)));
        let session = Session(vec![]);
        assert!(matches!(NoBankLink.answer(&session, &secret()).await, Err(BankLinkError::NoProvider)));
    }
}
