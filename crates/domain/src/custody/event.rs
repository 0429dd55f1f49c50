//! Events of a platform's account at a bank.

use serde::{Deserialize, Serialize};

use super::AccountNumber;
use crate::actor::Origin;
use crate::bank::Bank;
use crate::calendar::Day;
use crate::event::{Payload, carries_a_box, events};
use crate::id::{FileId, PlatformId, StatementId, TransactionId};
use crate::matching::RuleSet;
use crate::money::Currency;
use crate::posting::{LedgerAccount, Postings, Rail};
use crate::sealed::Sealed;
use crate::time::Timestamp;
use crate::transaction::Direction;

events! { Custody:
    /// The account was opened, together with the platform.
    Opened = 60 v 1 "custody.opened",
    /// The bank's statement of a day was booked.
    StatementBooked = 61 v 1 "custody.statement_booked",
    /// The entries of a rail at a cut-off were put into a file.
    FileCut = 62 v 1 "custody.file_cut",
    /// The bank accepted the file.
    FileSent = 63 v 1 "custody.file_sent",
    /// A statement in a file of the bank was accepted. Its lines are booked afterwards.
    StatementAccepted = 64 v 1 "custody.statement_accepted",
    /// All lines of an accepted statement are booked.
    StatementCompleted = 65 v 1 "custody.statement_completed",
    /// The number of the account at the bank was set.
    AccountSet = 66 v 1 "custody.account_set",
    /// The custody got a set of matching rules.
    RulesSet = 67 v 1 "custody.rules_set",
    /// The rules were tried on all lines in suspense.
    BreaksMatched = 68 v 1 "custody.breaks_matched",
}

/// The account was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// Platform whose customers own the money.
    pub platform: PlatformId,
    /// The bank.
    pub bank: Bank,
    /// True if the bank is simulated.
    pub sandbox: bool,
}

impl Payload for Opened {}

/// The bank's statement of a day was booked. The transaction of a cleared item records that (`transaction.cleared`);
/// the postings here are those of unexplained lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementBooked {
    /// Currency of all amounts.
    pub currency: Currency,
    /// Day of the statement.
    pub day: Day,
    /// Balance before the first line, in minor units.
    pub opening: i64,
    /// Balance after the last line, in minor units.
    pub closing: i64,
    /// The lines in the bank's order.
    pub lines: Vec<Booked>,
    /// Bank against suspense, for the lines that no open item explains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postings: Option<Postings>,
    /// Origin of the booking.
    pub origin: Origin,
    /// Sealed box, class profile, of the platform's own user: the bank's descriptions, line by line.
    #[serde(skip)]
    pub details: Option<Sealed>,
}

carries_a_box!(StatementBooked.details);

/// A line of a statement, with the open item that it clears.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Booked {
    /// The bank's id of the line, unique in the statement.
    pub id: String,
    /// Minor units; positive for money onto the account.
    pub amount: i64,
    /// The open item that the line clears; `None` if no item explains the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explains: Option<(TransactionId, LedgerAccount)>,
    /// Amount of that item, in minor units, if the amount of the line is 0: the item and its return met at the bank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub met: Option<i64>,
}

/// The entries of a rail at a cut-off were put into a file. The file is rendered from this event and handed to the
/// bank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileCut {
    /// The file.
    pub file: FileId,
    /// The rail.
    pub rail: Rail,
    /// Number of the file at this bank, counted from 0.
    pub number: u64,
    /// The entries, in order.
    pub items: Vec<Item>,
    /// The cut-off of the file; `None` in events from before cut-offs had a time zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_off: Option<CutOff>,
    /// Form in which consumers authorize pulls; it determines the classes of entries. `None` for rails other than ACH,
    /// and in events from before there were classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorizations: Option<Authorizations>,
}

impl Payload for FileCut {}

/// Time at which a bank closes a file, as resolved at the cut: later time zone tables do not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutOff {
    /// The cut-off time.
    pub at: Timestamp,
    /// The bank's day, in the bank's time zone.
    pub day: Day,
}

/// Form in which the consumers of a platform authorize pulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Authorizations {
    /// Pulls are authorized over the internet.
    Internet,
    /// Pulls are authorized in writing.
    Written,
}

/// An entry of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The transaction.
    pub transaction: TransactionId,
    /// Leg of the transaction.
    pub direction: Direction,
    /// Minor units.
    pub amount: i64,
    /// Trace number: 1 to 9,999,999, then from 1 again.
    pub trace: u32,
}

/// The bank accepted the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSent {
    /// The file.
    pub file: FileId,
    /// Position of the log as of which the file was rendered. Events that are older than this field have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<u64>,
}

impl Payload for FileSent {}

/// A statement in a file of the bank was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementAccepted {
    /// The statement, whose stream has the rest.
    pub statement: StatementId,
    /// Currency of the statement.
    pub currency: Currency,
    /// Day of the statement.
    pub day: Day,
    /// Balance after the last line, in minor units.
    pub closing: i64,
    /// Number of lines that have to be booked.
    pub lines: u32,
    /// Statement of the same day whose booked lines have to be taken back before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub takes_back: Option<StatementId>,
}

impl Payload for StatementAccepted {}

/// All lines of an accepted statement are booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementCompleted {
    /// The statement.
    pub statement: StatementId,
    /// True if the matching rules have to be tried on the lines in suspense. False in events from before there were rules.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub to_match: bool,
}

impl Payload for StatementCompleted {}

/// The custody got a set of matching rules in place of its old one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulesSet {
    /// Version of the set, counted from 1.
    pub version: u32,
    /// The whole set.
    pub rules: RuleSet,
    /// Origin of the set.
    pub origin: Origin,
}

impl Payload for RulesSet {}

/// The rules were tried on all lines in suspense. Each match is an event of its break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BreaksMatched {
    /// Number of runs that are done, all that were due when this one began.
    pub runs: u32,
    /// Version of the rule set; 0 for the built-in one.
    pub version: u32,
    /// Number of lines that the run matched.
    pub matched: u32,
    /// Number of lines that no rule matched.
    pub left: u32,
}

impl Payload for BreaksMatched {}

/// The number of the account at the bank was set. Files for the bank name it, and files of the bank state it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountSet {
    /// The new number.
    pub account: AccountNumber,
    /// Origin of the number.
    pub origin: Origin,
}

impl Payload for AccountSet {}
