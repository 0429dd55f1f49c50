//! Test doubles: a vault without a database, a customer, and a bank with scripted replies.

use std::collections::VecDeque;
use std::sync::Mutex;

use async_trait::async_trait;
use daybook_domain::{PlatformId, UserId};
use daybook_pg::{Config, Pg};
use daybook_vault::{MasterKey, Vault};

use super::Customer;
use crate::rails::bank_link::{
    BankLink, BankLinkError, Challenge, ChallengeKind, Credentials, Institution, Reply, Session,
};
use crate::secret::Secret;

/// The customer who logs in.
pub(crate) const ADA: Customer = Customer { platform: PlatformId::from_u128(1), user: UserId::from_u128(2) };

/// A vault that never reaches its database.
pub(crate) fn vault() -> Vault {
    let config = Config::from_url("postgres://nobody@127.0.0.1:1/nothing").expect("an address");
    Vault::new(Pg::new(config).expect("a pool"), MasterKey::from_bytes([7; 32]))
}

/// A bank that gives scripted replies, in order.
pub(crate) struct Script(Mutex<VecDeque<Reply>>);

impl Script {
    pub(crate) fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self(Mutex::new(replies.into_iter().collect()))
    }

    fn next(&self) -> Reply {
        self.0.lock().expect("nobody panicked").pop_front().expect("another reply")
    }
}

#[async_trait]
impl BankLink for Script {
    async fn institutions(&self) -> Result<Vec<Institution>, BankLinkError> {
        Ok(vec![])
    }

    async fn log_in(&self, _: &Credentials) -> Result<Reply, BankLinkError> {
        Ok(self.next())
    }

    async fn answer(&self, _: &Session, _: &Secret) -> Result<Reply, BankLinkError> {
        Ok(self.next())
    }
}

/// A reply that asks a question in the session with this name.
pub(crate) fn asks(session: &str) -> Reply {
    let session = Session::new(session.as_bytes().to_vec()).expect("a short one");
    Reply::Asks(Challenge { session, kind: ChallengeKind::Question, message: "Who?".to_owned() })
}
