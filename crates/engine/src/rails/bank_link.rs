//! Port to a provider of bank logins: credentials go in; challenges and accounts come out.

mod sandbox;

use async_trait::async_trait;
use daybook_domain::Money;
pub use sandbox::SandboxBankLink;

use super::AccountClass;
use crate::secret::Secret;

/// Maximum bytes of a [`Session`]. Its token must fit the length limit of a text.
pub const MAX_SESSION_BYTES: usize = 400;

/// Reason why a login cannot continue. Neither these texts nor their sources repeat the customer's input.
#[derive(Debug, thiserror::Error)]
pub enum BankLinkError {
    /// No provider is configured.
    #[error("no provider of bank logins is configured")]
    NoProvider,
    /// The bank is unknown, or rejects the credentials.
    #[error("the bank refuses the login")]
    Refused,
    /// The login has ended at the bank.
    #[error("the login is over")]
    Over,
    /// The login succeeded, but the customer has no accounts to link.
    #[error("the bank shows no accounts")]
    NoAccounts,
    /// The bank cannot be reached.
    #[error("the bank cannot be reached")]
    Unreachable(#[source] std::io::Error),
}

/// A customer's credentials at a bank.
#[derive(Debug)]
pub struct Credentials {
    /// Code of the bank.
    pub bank_name: String,
    /// The customer's user name at the bank.
    pub bank_id: Secret,
    /// The customer's password at the bank.
    pub bank_pw: Secret,
}

/// The provider's identifier of a waiting login. The caller holds it in sealed form.
#[derive(Clone, PartialEq, Eq)]
pub struct Session(Vec<u8>);

impl Session {
    /// Creates a session from these bytes; none if there are more than [`MAX_SESSION_BYTES`].
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Option<Self> {
        (bytes.len() <= MAX_SESSION_BYTES).then_some(Self(bytes))
    }

    /// Returns the bytes of the session.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Kind of answer that a bank expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChallengeKind {
    /// Answer to a security question.
    Question,
    /// Code that the bank sent to the customer.
    Code,
}

/// Challenge of a bank during a login.
pub struct Challenge {
    /// Session of the waiting login. The same bytes mean the same challenge.
    pub session: Session,
    /// Kind of answer that the bank expects.
    pub kind: ChallengeKind,
    /// Text of the question, for the customer.
    pub message: String,
}

/// An account as the bank shows it.
pub struct LinkedAccount {
    /// The bank's name for the account.
    pub nickname: String,
    /// Account number.
    pub account_num: String,
    /// Routing number of the bank.
    pub routing_num: String,
    /// Class of the account.
    pub class: AccountClass,
    /// True for a business account.
    pub is_business: bool,
    /// Short name of the bank.
    pub bank_name: String,
    /// Full name of the bank.
    pub bank_long_name: String,
    /// Address of the bank.
    pub address: String,
    /// Balance that the bank reports. It is not part of the ledger.
    pub balance: Money,
    /// Holder of the account.
    pub holder: Holder,
}

/// Data of the account holder, as far as the bank provides it.
#[derive(Clone, Default)]
pub struct Holder {
    /// Name.
    pub name: Option<String>,
    /// E-mail address.
    pub email: Option<String>,
    /// Phone number.
    pub phone: Option<String>,
}

/// Reply of a bank.
pub enum Reply {
    /// The bank asks a challenge.
    Asks(Challenge),
    /// The bank shows the customer's accounts.
    Shows(Vec<LinkedAccount>),
}

/// A bank that supports logins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Institution {
    /// Code for [`Credentials::bank_name`].
    pub code: String,
    /// Name of the bank.
    pub name: String,
    /// Features of a login at this bank.
    pub features: Vec<String>,
    /// URL for customers who forgot their password; empty if there is none.
    pub forgotten_password: String,
    /// True if logins work at present.
    pub is_active: bool,
    /// URL of the logo; empty if there is none.
    pub logo: String,
    /// Months of account history that the bank shows.
    pub history_months: u32,
}

/// Logs in at banks. An implementation neither stores nor logs credentials or answers.
#[async_trait]
pub trait BankLink: Send + Sync + 'static {
    /// Returns the banks that support logins, in the provider's order.
    async fn institutions(&self) -> Result<Vec<Institution>, BankLinkError>;

    /// Logs in.
    async fn log_in(&self, credentials: &Credentials) -> Result<Reply, BankLinkError>;

    /// Continues with the customer's answer. After a wrong answer the bank may ask again in the same session.
    async fn answer(&self, session: &Session, answer: &Secret) -> Result<Reply, BankLinkError>;
}

/// Port for deployments without a provider.
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
    fn session_is_short_enough_for_its_token() {
        assert!(Session::new(vec![1; MAX_SESSION_BYTES]).is_some());
        assert!(Session::new(vec![1; MAX_SESSION_BYTES + 1]).is_none());
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
    async fn missing_provider_refuses_logins() {
        assert!(matches!(NoBankLink.institutions().await, Ok(none) if none.is_empty()));
        let secret = || Secret::new("test1234".to_owned());
        let credentials = Credentials { bank_name: "fake".into(), bank_id: secret(), bank_pw: secret() };
        assert!(matches!(NoBankLink.log_in(&credentials).await, Err(BankLinkError::NoProvider)));
        let session = Session(vec![]);
        assert!(matches!(NoBankLink.answer(&session, &secret()).await, Err(BankLinkError::NoProvider)));
    }
}
