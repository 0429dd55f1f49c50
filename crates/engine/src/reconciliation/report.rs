//! The report: the tie-out per currency, and the lists that explain it.

use daybook_domain::actor::Actor;
use daybook_domain::breaks::{Break, Strategy};
use daybook_domain::calendar::Day;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::statement::Statement;
use daybook_domain::{BreakId, Currency, OperationId, PlatformId, StatementId, TransactionId};

use super::tie_out::{TieOut, is_overdue};

/// Days of a reconciliation, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// First day.
    pub from: Day,
    /// Last day, not before the first.
    pub to: Day,
}

impl Period {
    /// True if `day` is one of its days.
    #[must_use]
    pub fn has(self, day: Day) -> bool {
        self.from <= day && day <= self.to
    }
}

/// Rows of a list, and their number; of a long list, only the first rows may be here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Number of rows of the whole list.
    pub count: u64,
}

impl<T> Listing<T> {
    /// A list with all its rows.
    #[must_use]
    pub fn whole(rows: Vec<T>) -> Self {
        let count = rows.len() as u64;
        Self { rows, count }
    }

    /// A list of which only the first rows are kept.
    #[must_use]
    pub fn first(mut rows: Vec<T>, max: usize) -> Self {
        let count = rows.len() as u64;
        rows.truncate(max);
        Self { rows, count }
    }
}

/// Reconciliation of a platform with its bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The platform.
    pub platform: PlatformId,
    /// Position of the log that it is of.
    pub position: u64,
    /// Its days.
    pub period: Period,
    /// Day at whose end ages are counted.
    pub day: Day,
    /// True if lines of accepted statements are still to be booked or taken back.
    pub is_booking: bool,
    /// Version of the matching rules; 0 for the built-in ones.
    pub rules: u32,
    /// The tie-out of each currency.
    pub tie_outs: Vec<TieOut>,
    /// Statements of the period, in the order of their days.
    pub statements: Listing<StatedDay>,
    /// Timing differences: open items, the oldest first.
    pub open: Listing<OpenItem>,
    /// Lines in suspense, the oldest first.
    pub breaks: Listing<OpenBreak>,
    /// Matches and write-offs; `None` if the report does not look for them.
    pub acts: Option<Acts>,
}

impl Report {
    /// True if every currency ties out.
    #[must_use]
    pub fn is_tied_out(&self) -> bool {
        self.tie_outs.iter().all(TieOut::is_tied_out)
    }

    /// True if the bank is still to state a day of the period in a currency.
    #[must_use]
    pub fn is_provisional(&self) -> bool {
        self.tie_outs.iter().any(|tied| tied.is_provisional)
    }

    /// Number of open items that are older than the bank takes to state them.
    #[must_use]
    pub fn overdue_items(&self) -> u64 {
        self.tie_outs.iter().map(|tied| tied.overdue.count).sum()
    }

    /// Number of breaks that are older than two banking days.
    #[must_use]
    pub fn old_breaks(&self) -> u64 {
        self.tie_outs.iter().map(TieOut::old_breaks).sum()
    }
}

/// Matches and write-offs that belong to a report: those after the report of the days before its period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acts {
    /// Position of the report of the days before the period.
    pub after: u64,
    /// Matches that were made or taken back after that position.
    pub matches: Vec<MadeMatch>,
    /// Open items that were written off after that position.
    pub write_offs: Vec<WriteOff>,
}

/// The bank's statement of one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedDay {
    /// Its id; `None` for a day that the sandbox's bank stated without a file.
    pub id: Option<StatementId>,
    /// Currency of the balances.
    pub currency: Currency,
    /// The day.
    pub day: Day,
    /// Balance before the first line, in minor units.
    pub opening: i64,
    /// Balance after the last line, in minor units.
    pub closing: i64,
    /// Number of lines.
    pub lines: u32,
    /// Number of lines that are booked.
    pub booked: u32,
    /// Format of the file.
    pub format: String,
    /// SHA-256 of the file, in hexadecimal digits.
    pub file: Option<String>,
    /// The statement that it replaces, because the bank stated the day anew.
    pub replaces: Option<StatementId>,
    /// The statement that replaces it.
    pub replaced_by: Option<StatementId>,
}

impl StatedDay {
    /// The day of a statement in a file.
    #[must_use]
    pub fn of(id: StatementId, statement: &Statement) -> Self {
        Self {
            id: Some(id),
            currency: statement.currency,
            day: statement.day,
            opening: statement.opening,
            closing: statement.closing,
            lines: statement.lines,
            booked: statement.booked,
            format: statement.format.clone(),
            file: Some(statement.file.clone()),
            replaces: statement.replaces,
            replaced_by: statement.replaced_by,
        }
    }
}

/// An open item: an amount that no statement explains yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenItem {
    /// The transaction.
    pub transaction: TransactionId,
    /// An account of a rail or of returns.
    pub account: LedgerAccount,
    /// Currency of the amount.
    pub currency: Currency,
    /// Minor units; a debit is positive: money to come to us.
    pub amount: i64,
    /// Day since which it is open, by the platform's clock.
    pub since: Day,
    /// Age in banking days.
    pub age: u32,
}

impl OpenItem {
    /// True if it is older than the bank takes to state it.
    #[must_use]
    pub fn is_overdue(&self) -> bool {
        is_overdue(self.account, self.age)
    }
}

/// A line in suspense, wholly or in part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenBreak {
    /// Id of the break.
    pub id: BreakId,
    /// Statement of the line; `None` for a day that the sandbox's bank stated without a file.
    pub statement: Option<StatementId>,
    /// The bank's id of the line.
    pub line: String,
    /// Currency of the amounts.
    pub currency: Currency,
    /// Day of the statement.
    pub day: Day,
    /// Amount of the line, in minor units; positive for money onto the account.
    pub amount: i64,
    /// Part of it that nothing explains.
    pub left: i64,
    /// Age in banking days.
    pub age: u32,
}

impl OpenBreak {
    /// The break of a state, at an age in banking days.
    #[must_use]
    pub fn of(id: BreakId, of: &Break, age: u32) -> Self {
        Self {
            id,
            statement: of.statement,
            line: of.line.clone(),
            currency: of.currency,
            day: of.day,
            amount: of.amount,
            left: of.left,
            age,
        }
    }
}

/// A match that was made or taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeMatch {
    /// The break.
    pub id: BreakId,
    /// The bank's id of the line.
    pub line: String,
    /// Number of the match, counted from 0.
    pub number: u32,
    /// Currency of the amount.
    pub currency: Currency,
    /// Part of the line that it explains, in minor units.
    pub amount: i64,
    /// The way by which it was found; `None` if it was taken back.
    pub strategy: Option<Strategy>,
    /// The party that made it or took it back.
    pub by: Actor,
    /// Day, by the platform's clock.
    pub day: Day,
    /// Position in the log.
    pub position: u64,
}

/// An open item that a journal entry cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteOff {
    /// The transaction.
    pub transaction: TransactionId,
    /// The operation with the entry.
    pub operation: OperationId,
    /// Account of the item.
    pub account: LedgerAccount,
    /// Currency of the amount.
    pub currency: Currency,
    /// Minor units; a debit is positive.
    pub amount: i64,
    /// Day, by the platform's clock.
    pub day: Day,
    /// Position in the log.
    pub position: u64,
}
