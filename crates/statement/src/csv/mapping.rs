//! Mapping: everything about a bank's CSV that its files do not say, as data.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::Encoding;
use super::check;
use crate::{CodeKind, Fault, ReferenceKind};

/// Mapping of a bank's CSV. The module has an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// Mark between columns.
    #[serde(default = "comma")]
    pub separator: char,
    /// Mark around a field, if fields are quoted. Written twice, it stands for itself.
    #[serde(with = "mark", default = "double_quote")]
    pub quote: Option<char>,
    /// Encoding of the file.
    #[serde(default)]
    pub encoding: Encoding,
    /// Format of all dates: `%d`, `%m`, `%b` (`Nov`), `%Y`, `%y` (2000 to 2099), and other characters as they are. None:
    /// the one format that fits all dates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Decimal mark. None: the one of `.` and `,` that fits all amounts.
    #[serde(with = "mark", default)]
    pub decimal: Option<char>,
    /// Mark between groups of three digits. Amounts may leave it out, all of it.
    #[serde(with = "mark", default)]
    pub thousands: Option<char>,
    /// Rule for the sign of an amount.
    pub sign: Sign,
    /// Way of writing amounts below zero, in amounts with a sign and in balances.
    #[serde(default)]
    pub negative: Negative,
    /// Texts beside an amount that mean nothing, such as `$`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<String>,
    /// Currency of all rows. A column must agree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Account of all rows. A column must agree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// Number of rows before the first line, blank ones included. The last of them names the columns.
    #[serde(default)]
    pub skip_header: usize,
    /// Number of rows after the last line, without blank ones.
    #[serde(default)]
    pub skip_footer: usize,
    /// Order of the rows.
    #[serde(default)]
    pub order: Order,
    /// Columns by their roles.
    pub columns: Columns,
    /// Balance before the oldest row, in minor units, if the file has a single account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<i64>,
    /// Balance after the newest row, in minor units, if the file has a single account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closing: Option<i64>,
}

impl Mapping {
    /// Checks the mapping itself, without a file.
    ///
    /// # Errors
    ///
    /// A [`Fault`] of the record `mapping`, with the name of the field.
    pub fn check(&self) -> Result<(), Fault> {
        check::plan(self).map(drop)
    }
}

/// Columns by their roles.
pub type Columns = BTreeMap<Role, Column>;

/// Column of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Column {
    /// Number, from 1.
    Number(usize),
    /// Name in the header, without white space around it.
    Name(String),
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "column {number}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

/// Role of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Booking day.
    Booking,
    /// Value date. May be empty.
    Value,
    /// Amount, for the rules `signed` and `words`.
    Amount,
    /// Amount of a debit, for the rule `two columns`.
    Debit,
    /// Amount of a credit, for the rule `two columns`.
    Credit,
    /// Word for credit or debit, for the rule `words`.
    Sign,
    /// Balance after the row.
    Balance,
    /// Currency.
    Currency,
    /// Account.
    Account,
    /// Description.
    Text,
    /// Reference of the kind `bank`.
    Bank,
    /// Reference of the kind `customer`.
    Customer,
    /// Reference of the kind `end_to_end`.
    EndToEnd,
    /// Reference of the kind `instruction`.
    Instruction,
    /// Reference of the kind `mandate`.
    Mandate,
    /// Reference of the kind `message`.
    Message,
    /// Reference of the kind `payment`.
    Payment,
    /// Reference of the kind `entry`.
    Entry,
    /// Reference of the kind `transaction`.
    Transaction,
    /// Reference of the kind `check`.
    Check,
    /// Code of the kind `bai`.
    Bai,
    /// Code of the kind `iso`.
    Iso,
    /// Code of the kind `swift`.
    Swift,
    /// Code of the kind `proprietary`.
    Proprietary,
}

/// Roles of references.
pub(super) const REFERENCES: [(Role, ReferenceKind); 10] = [
    (Role::Bank, ReferenceKind::Bank),
    (Role::Customer, ReferenceKind::Customer),
    (Role::EndToEnd, ReferenceKind::EndToEnd),
    (Role::Instruction, ReferenceKind::Instruction),
    (Role::Mandate, ReferenceKind::Mandate),
    (Role::Message, ReferenceKind::Message),
    (Role::Payment, ReferenceKind::Payment),
    (Role::Entry, ReferenceKind::Entry),
    (Role::Transaction, ReferenceKind::Transaction),
    (Role::Check, ReferenceKind::Check),
];

/// Roles of codes.
pub(super) const CODES: [(Role, CodeKind); 4] = [
    (Role::Bai, CodeKind::Bai),
    (Role::Iso, CodeKind::Iso),
    (Role::Swift, CodeKind::Swift),
    (Role::Proprietary, CodeKind::Proprietary),
];

/// Rule for the sign of an amount.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Sign {
    /// One column with signs.
    #[serde(rename = "signed")]
    Signed,
    /// Two columns without signs. One of the two is empty or zero.
    #[serde(rename = "two columns")]
    TwoColumns,
    /// One column without signs, and one with a word, in exactly these letters.
    #[serde(rename = "words")]
    Words {
        /// Words for money onto the account.
        credit: Vec<String>,
        /// Words for money from the account.
        debit: Vec<String>,
    },
}

/// Way of writing amounts below zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Negative {
    /// A minus before the digits.
    #[default]
    Before,
    /// A minus behind the digits.
    Behind,
    /// Parentheses around the digits.
    Parentheses,
}

/// Order of the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// The first row is the oldest.
    #[default]
    #[serde(rename = "oldest first")]
    OldestFirst,
    /// The first row is the newest.
    #[serde(rename = "newest first")]
    NewestFirst,
}

const fn comma() -> char {
    ','
}

#[expect(clippy::unnecessary_wraps, reason = "serde wants the type of the field")]
const fn double_quote() -> Option<char> {
    Some('"')
}

/// A character or nothing, as text: TOML has no null.
mod mark {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(super) fn serialize<S: Serializer>(mark: &Option<char>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&mark.map(String::from).unwrap_or_default())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<char>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?.unwrap_or_default();
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (mark, None) => Ok(mark),
            _ => Err(D::Error::custom("one character or none expected")),
        }
    }
}
