//! The port to a bank, and the sandbox behind it.

use async_trait::async_trait;
use daybook_domain::calendar::Day;
use daybook_domain::custody::CutOff;
use daybook_domain::posting::Rail;
use daybook_domain::{FileId, Timestamp};

use super::file::Originator;

/// Why a bank does not take a file now.
#[derive(Debug, thiserror::Error)]
pub enum BankError {
    /// No bank is configured.
    #[error("no bank is configured")]
    NoBank,
    /// The way to the bank is blocked.
    #[error("the bank cannot be reached")]
    Unreachable(#[source] std::io::Error),
}

/// A file as it is handed over: text in the format of its rail. Personal data in the clear.
pub struct File<'a> {
    /// Its id.
    pub id: FileId,
    /// The rail that it leaves by.
    pub rail: Rail,
    /// What is in it.
    pub text: &'a str,
}

/// Takes what is to leave. What comes back, statements and returns, operators bring (`docs/reference/api.md`,
/// Operators).
#[async_trait]
pub trait BankPort: Send + Sync + 'static {
    /// The newest cut-off of `rail` at `now`: what was due by then shall be put into a file. None if nothing shall.
    fn cut_off(&self, rail: Rail, now: Timestamp) -> Option<CutOff>;

    /// Whether a push that was handed over can be taken for arrived before a statement says so.
    fn confirms(&self) -> bool;

    /// Who sends, as the bank knows a platform of this name.
    fn originator(&self, company_name: &str) -> Originator;

    /// Takes a file. The same file may come again, after a crash: that changes nothing.
    async fn accept(&self, file: File<'_>) -> Result<(), BankError>;
}

/// For deployments without a bank: files wait.
pub struct NoBank;

#[async_trait]
impl BankPort for NoBank {
    fn cut_off(&self, _: Rail, _: Timestamp) -> Option<CutOff> {
        // What is in no file can still be canceled.
        None
    }

    fn confirms(&self) -> bool {
        false
    }

    fn originator(&self, company_name: &str) -> Originator {
        SandboxBank.originator(company_name)
    }

    async fn accept(&self, _: File<'_>) -> Result<(), BankError> {
        Err(BankError::NoBank)
    }
}

/// A bank that takes everything at once, and states it when the day is over.
pub struct SandboxBank;

impl SandboxBank {
    /// Right by its checksum, and no bank's.
    pub const ROUTING_NUM: &'static str = "123456780";
}

#[async_trait]
impl BankPort for SandboxBank {
    fn cut_off(&self, _: Rail, now: Timestamp) -> Option<CutOff> {
        Some(CutOff { at: now, day: Day::of(now) })
    }

    fn confirms(&self) -> bool {
        true
    }

    fn originator(&self, company_name: &str) -> Originator {
        Originator {
            routing_num: Self::ROUTING_NUM.into(),
            bank_name: "Sandbox Bank".into(),
            company_id: "1000000000".into(),
            company_name: company_name.into(),
            account_num: "1000000001".into(),
            description: "PAYMENT".into(),
        }
    }

    async fn accept(&self, _: File<'_>) -> Result<(), BankError> {
        Ok(())
    }
}
