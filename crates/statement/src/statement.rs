//! A bank's file as it was read: statements of accounts with balances and lines.

use std::ops::Range;

use daybook_domain::Currency;
use daybook_domain::calendar::Day;

/// A file of a bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankFile {
    /// Format with its version: `bai2`, `camt.053.001.08`, `mt940` or `csv`.
    pub format: String,
    /// Statements in the order of the file. The same account may come several times.
    pub statements: Vec<Statement>,
}

/// Statement of one account about one or several days.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Number of the account at the bank, as the file states it.
    pub account: String,
    /// Currency of all amounts.
    pub currency: Currency,
    /// Meaning of the statement.
    pub standing: Standing,
    /// Codes of the format about the whole statement, by the format's names: `group_status`, `as_of_modifier`.
    pub marks: Vec<(&'static str, String)>,
    /// Days in ascending order, each with its balances. The opening balance of a day is the closing balance of the day
    /// before. Empty unless the standing is `Booked` or `Restated`.
    pub days: Vec<DayBalances>,
    /// Lines in the order of the file.
    pub lines: Vec<Line>,
}

/// Meaning of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The bank booked the lines.
    Booked,
    /// The bank booked the lines, and states the day again.
    Restated,
    /// The bank has not booked the lines yet, or books them by another file.
    Pending,
    /// The file is a test. Its lines are never booked.
    Test,
}

/// Balances of a day, in minor units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayBalances {
    /// The day, as the bank writes it.
    pub date: Day,
    /// Booked balance before the first line.
    pub opening: i64,
    /// Booked balance after the last line: the opening balance and the booked lines.
    pub closing: i64,
    /// Number of booked lines.
    pub lines: usize,
    /// Available balances at the beginning and at the end, in formats that state them.
    pub available: Option<[Option<i64>; 2]>,
}

/// Line of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Day on which the bank booked the line.
    pub booking: Option<Day>,
    /// Origin of the booking day, if the line itself does not state it: a sentence.
    pub booking_from: Option<&'static str>,
    /// Day from which the amount counts for interest.
    pub value: Option<Day>,
    /// Minor units; positive for money onto the account.
    pub amount: i64,
    /// True if the line is part of the booked balance.
    pub booked: bool,
    /// True if the bank marks the line as the reversal of another. The sign of the amount already says it.
    pub reversal: bool,
    /// Codes of the transaction's type.
    pub codes: Codes,
    /// References that the line carries.
    pub references: References,
    /// Reason of a return.
    pub return_reason: Option<String>,
    /// Description.
    pub text: String,
    /// Details of a batch that is booked as one line. Their amounts make the line's amount, if all have one.
    pub parts: Vec<Part>,
    /// Bytes of the file that state the line.
    pub bytes: Range<usize>,
}

impl Line {
    /// Gives back the memory that lists and text reserved for more. A file has many lines, and all of them are kept.
    pub(crate) fn shrink(&mut self) {
        self.codes.shrink_to_fit();
        self.references.shrink_to_fit();
        self.text.shrink_to_fit();
    }
}

/// Detail of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Minor units with the sign of the line, if the amount is stated in the currency of the account.
    pub amount: Option<i64>,
    /// References.
    pub references: References,
    /// Reason of a return.
    pub return_reason: Option<String>,
    /// Description.
    pub text: String,
}

/// References by their kinds. Each kind occurs at most once.
pub type References = Vec<(ReferenceKind, String)>;

/// Codes by their kinds. Each kind occurs at most once.
pub type Codes = Vec<(CodeKind, String)>;

/// Returns the value of a kind.
pub(crate) fn find<K: Copy + PartialEq>(pairs: &[(K, String)], kind: K) -> Option<&str> {
    pairs.iter().find(|(known, _)| *known == kind).map(|(_, value)| value.as_str())
}

/// Kind of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceKind {
    /// The bank's own reference: BAI2 bank reference, `AcctSvcrRef`, or what follows `//` in `:61:`.
    Bank,
    /// The customer's reference: BAI2 customer reference, or the reference of the account owner in `:61:`.
    Customer,
    /// `EndToEndId`, or `/EREF/`.
    EndToEnd,
    /// `InstrId`.
    Instruction,
    /// `MndtId`, or `/MREF/`.
    Mandate,
    /// `MsgId` of the message that ordered the payment.
    Message,
    /// `PmtInfId` of the batch.
    Payment,
    /// `NtryRef` of the entry.
    Entry,
    /// `TxId` of the transaction.
    Transaction,
    /// `ChqNb`: number of a check.
    Check,
}

/// Kind of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeKind {
    /// Type code of BAI2.
    Bai,
    /// Domain, family and sub-family of ISO 20022: `PMNT/RCDT/ESCT`.
    Iso,
    /// Transaction type of `:61:`: `NMSC`.
    Swift,
    /// Code of the bank's own.
    Proprietary,
}
