//! Port to a bank, with its sandbox implementation.

use async_trait::async_trait;
use daybook_domain::calendar::Day;
use daybook_domain::custody::CutOff;
use daybook_domain::posting::Rail;
use daybook_domain::{FileId, Timestamp};

use super::file::Originator;

/// Reason why a bank does not accept a file at the moment.
#[derive(Debug, thiserror::Error)]
pub enum BankError {
    /// No bank is configured.
    #[error("no bank is configured")]
    NoBank,
    /// The bank cannot be reached.
    #[error("the bank cannot be reached")]
    Unreachable(#[source] std::io::Error),
}

/// A file as sent to the bank: text in the format of its rail, with personal data in plain text.
pub struct File<'a> {
    /// Id of the file.
    pub id: FileId,
    /// Rail of the file.
    pub rail: Rail,
    /// Content of the file.
    pub text: &'a str,
}

/// Accepts outgoing files. Statements of the bank are handed in by operators (`docs/reference/api.md`, Operators), or
/// taken from a folder (`crates/cli/src/bank_inbox`); returns are handed in by operators.
#[async_trait]
pub trait BankPort: Send + Sync + 'static {
    /// Returns the newest cut-off of `rail` at `now`; transactions due by then are put into a file. None means that no
    /// file shall be cut.
    fn cut_off(&self, rail: Rail, now: Timestamp) -> Option<CutOff>;

    /// Returns true if a sent push counts as settled before a statement confirms it.
    fn confirms(&self) -> bool;

    /// Returns the originator: the data of a platform with this name, as known to the bank.
    fn originator(&self, company_name: &str) -> Originator;

    /// Accepts a file. After a crash the same file may be sent again, which must change nothing.
    async fn accept(&self, file: File<'_>) -> Result<(), BankError>;
}

/// Port for deployments without a bank. Transactions wait.
pub struct NoBank;

#[async_trait]
impl BankPort for NoBank {
    fn cut_off(&self, _: Rail, _: Timestamp) -> Option<CutOff> {
        // Without a file, a transaction can still be canceled.
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

/// A bank that accepts every file at once, and states it when the day is over.
pub struct SandboxBank;

impl SandboxBank {
    /// Routing number with a valid checksum that no bank owns.
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
