//! Postings: what one event does to the ledger. A set that does not sum to zero cannot be made.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::NodeId;
use crate::money::Currency;

/// An account of the ledger (`docs/GLOSSARY.md`, "account"); currency and platform are those of the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum LedgerAccount {
    /// Money owed to the owner of a held node. Liability.
    Node(NodeId),
    /// Taken from the sender, not yet given to the receiver. Liability.
    Transit,
    /// Pulled in over a rail, the bank has not confirmed. Asset.
    RailIn(Rail),
}

/// A way for money into or out of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rail {
    /// The US automated clearing house.
    Ach,
    /// A wire transfer inside the US.
    Wire,
    /// A paper check that the bank prints and mails.
    Check,
}

impl Rail {
    /// Every rail.
    pub const ALL: [Self; 3] = [Self::Ach, Self::Wire, Self::Check];

    /// Its name, as it is stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ach => "ach",
            Self::Wire => "wire",
            Self::Check => "check",
        }
    }

    /// The rail with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rail| rail.as_str() == name)
    }
}

impl fmt::Display for Rail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for LedgerAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(node) => write!(f, "node:{node}"),
            Self::Transit => f.write_str("transit"),
            Self::RailIn(rail) => write!(f, "rail.in.{rail}"),
        }
    }
}

impl From<LedgerAccount> for String {
    fn from(account: LedgerAccount) -> Self {
        account.to_string()
    }
}

impl FromStr for LedgerAccount {
    type Err = PostingError;
    fn from_str(text: &str) -> Result<Self, PostingError> {
        let node = |text: &str| text.strip_prefix("node:")?.parse().ok().map(Self::Node);
        let rail_in = |text: &str| Rail::parse(text.strip_prefix("rail.in.")?).map(Self::RailIn);
        match text {
            "transit" => Ok(Self::Transit),
            _ => node(text).or_else(|| rail_in(text)).ok_or(PostingError::UnknownAccount),
        }
    }
}

impl TryFrom<String> for LedgerAccount {
    type Error = PostingError;
    fn try_from(text: String) -> Result<Self, PostingError> {
        text.parse()
    }
}

/// One line of a set of postings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posting {
    /// The account.
    pub account: LedgerAccount,
    /// Minor units; a debit is positive, a credit negative.
    pub amount: i64,
}

/// Why lines are not a set of postings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PostingError {
    /// Debits and credits differ.
    #[error("postings do not sum to zero")]
    Unbalanced,
    /// A line of nothing.
    #[error("a posting of zero")]
    Zero,
    /// No such account.
    #[error("unknown ledger account")]
    UnknownAccount,
}

/// Lines of one currency whose debits equal their credits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Lines")]
pub struct Postings {
    currency: Currency,
    lines: Vec<Posting>,
}

/// Postings as they are stored; balanced or not.
#[derive(Deserialize)]
struct Lines {
    currency: Currency,
    lines: Vec<Posting>,
}

impl TryFrom<Lines> for Postings {
    type Error = PostingError;
    fn try_from(stored: Lines) -> Result<Self, PostingError> {
        Self::new(stored.currency, stored.lines)
    }
}

impl Postings {
    /// A set of postings.
    ///
    /// # Errors
    ///
    /// [`PostingError::Unbalanced`] unless the lines sum to zero, [`PostingError::Zero`] if one is zero.
    pub fn new(currency: Currency, lines: Vec<Posting>) -> Result<Self, PostingError> {
        if lines.iter().any(|line| line.amount == 0) {
            return Err(PostingError::Zero);
        }
        let sum: i128 = lines.iter().map(|line| i128::from(line.amount)).sum();
        if sum == 0 { Ok(Self { currency, lines }) } else { Err(PostingError::Unbalanced) }
    }

    /// Moves money out of `from` into each of `to`: one debit for the whole, one credit each. Balanced by construction.
    #[must_use]
    pub(crate) fn transfer(currency: Currency, from: LedgerAccount, to: &[(LedgerAccount, i64)]) -> Self {
        let credits = to.iter().filter(|(_, amount)| *amount != 0);
        let mut lines: Vec<Posting> =
            credits.map(|&(account, amount)| Posting { account, amount: -amount }).collect();
        let total: i64 = lines.iter().map(|line| -line.amount).sum();
        if total != 0 {
            lines.insert(0, Posting { account: from, amount: total });
        }
        Self { currency, lines }
    }

    /// The set that undoes what `net` sums up.
    #[must_use]
    pub(crate) fn undo(net: &Net) -> Option<Self> {
        let lines: Vec<Posting> =
            net.lines.iter().map(|(&account, &amount)| Posting { account, amount: -amount }).collect();
        (!lines.is_empty()).then_some(Self { currency: net.currency, lines })
    }

    /// The lines, in order.
    #[must_use]
    pub fn lines(&self) -> &[Posting] {
        &self.lines
    }

    /// What the held nodes among the accounts gain (positive) or lose: the owner's view, opposite in sign.
    pub fn node_changes(&self) -> impl Iterator<Item = (NodeId, i64)> + '_ {
        self.lines.iter().filter_map(|line| match line.account {
            LedgerAccount::Node(node) => Some((node, -line.amount)),
            LedgerAccount::Transit | LedgerAccount::RailIn(_) => None,
        })
    }
}

/// What a transaction has done to each ledger account so far; lines that came to zero are gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Net {
    currency: Currency,
    lines: BTreeMap<LedgerAccount, i64>,
}

impl Net {
    /// Nothing done yet.
    #[must_use]
    pub fn new(currency: Currency) -> Self {
        Self { currency, lines: BTreeMap::new() }
    }

    /// Adds one event's postings.
    pub fn add(&mut self, postings: &Postings) {
        for line in &postings.lines {
            let sum = self.lines.entry(line.account).or_default();
            *sum = sum.saturating_add(line.amount);
            if *sum == 0 {
                self.lines.remove(&line.account);
            }
        }
    }

    /// What lies on `account`: debit positive.
    #[must_use]
    pub fn on(&self, account: LedgerAccount) -> i64 {
        self.lines.get(&account).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(account: LedgerAccount, amount: i64) -> Posting {
        Posting { account, amount }
    }

    #[test]
    fn an_unbalanced_set_cannot_be_made_nor_read() {
        let lines = vec![line(LedgerAccount::Transit, 5), line(LedgerAccount::RailIn(Rail::Ach), -4)];
        assert_eq!(Postings::new(Currency::USD, lines), Err(PostingError::Unbalanced));
        let stored = r#"{"currency":"USD","lines":[{"account":"transit","amount":5}]}"#;
        assert!(serde_json::from_str::<Postings>(stored).is_err());
    }

    #[test]
    fn a_sum_beyond_the_integers_is_not_taken_for_zero() {
        let lines = vec![
            line(LedgerAccount::Transit, i64::MAX),
            line(LedgerAccount::Transit, i64::MAX),
            line(LedgerAccount::Transit, 2),
        ];
        assert_eq!(Postings::new(Currency::USD, lines), Err(PostingError::Unbalanced));
    }

    #[test]
    fn net_and_undo_come_to_nothing() {
        let node = LedgerAccount::Node(NodeId::from_u128(1));
        let mut net = Net::new(Currency::USD);
        net.add(&Postings::transfer(Currency::USD, node, &[(LedgerAccount::Transit, 7)]));
        assert_eq!((net.on(node), net.on(LedgerAccount::Transit)), (7, -7));
        net.add(&Postings::undo(&net).expect("something to undo"));
        assert_eq!(net, Net::new(Currency::USD));
    }

    #[test]
    fn an_account_reads_back_from_its_name() {
        let rails = Rail::ALL.map(LedgerAccount::RailIn);
        for account in
            [LedgerAccount::Node(NodeId::from_u128(1)), LedgerAccount::Transit].into_iter().chain(rails)
        {
            assert_eq!(account.to_string().parse(), Ok(account));
        }
        for text in ["bank", "rail.in.", "rail.in.cash", "rail.in.ACH", "node:"] {
            assert_eq!(text.parse::<LedgerAccount>(), Err(PostingError::UnknownAccount), "{text}");
        }
    }

    #[test]
    fn a_rail_is_stored_under_its_name() {
        for rail in Rail::ALL {
            assert_eq!(serde_json::to_string(&rail).ok(), Some(format!("\"{rail}\"")));
        }
    }
}
