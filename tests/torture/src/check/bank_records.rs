//! Records of the fold of a platform's bank: statements, lines in suspense and open items.

use std::collections::BTreeMap;

/// A statement in a file.
#[derive(Clone, Debug, Default)]
pub struct Statement {
    /// Day.
    pub day: String,
    /// Balance before the first line.
    pub opening: i64,
    /// Balance after the last line.
    pub closing: i64,
    /// Number of lines.
    pub lines: i64,
    /// SHA-256 of the file.
    pub file: String,
    /// Statement of the same day that it replaces.
    pub replaces: Option<String>,
    /// Statement that replaces it.
    pub replaced_by: Option<String>,
    /// Amounts of the lines that are booked.
    pub booked: Vec<i64>,
}

/// A line in suspense.
#[derive(Clone, Debug, Default)]
pub struct Break {
    /// Statement and line; no statement for a day without a file.
    pub line: (Option<String>, String),
    /// Amount.
    pub amount: i64,
    /// Matches that hold, by number, with their amounts.
    pub matches: BTreeMap<i64, i64>,
    /// True if the line was taken back.
    pub is_withdrawn: bool,
    /// True if a match was ever taken back.
    pub is_by_hand: bool,
}

impl Break {
    /// Returns the part of the amount that nothing explains.
    pub fn left(&self) -> i64 {
        if self.is_withdrawn { 0 } else { self.amount - self.matches.values().sum::<i64>() }
    }
}

/// An item: an amount of a transaction on the account of a rail or of returns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Item {
    /// Amount without clearings.
    pub amount: i64,
    /// Cleared part.
    pub cleared: i64,
}
