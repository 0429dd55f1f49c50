//! Postings: the effect of one event on the ledger. An unbalanced set cannot be constructed.

mod format_limit;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

pub use format_limit::FormatLimit;
use serde::{Deserialize, Serialize};

use crate::bank::Bank;
use crate::id::NodeId;
use crate::money::Currency;
use crate::named;
use crate::text::stored_as_text;

/// An account of the ledger (`docs/GLOSSARY.md`, "account"). The event determines its currency and platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LedgerAccount {
    /// Money owed to the owner of a held node. Liability.
    Node(NodeId),
    /// Money taken from the sender and not yet given to the receiver. Liability.
    Transit,
    /// Money pulled in over a rail, not yet confirmed by the bank. Asset.
    RailIn(Rail),
    /// Money sent out over a rail, not yet confirmed by the bank. Liability.
    RailOut(Rail),
    /// Money of a returned push, on its way back to us. Asset.
    ReturnIn,
    /// Money of a returned pull, which the bank will take from us. Liability.
    ReturnOut,
    /// Cash according to the bank's statements; only the booking of statements touches it. Asset.
    Bank(Bank),
    /// Suspense account: statement lines that no open item explains yet. Either side.
    Suspense,
}

named! {
    /// A payment rail: a way for money into or out of the ledger. Ledger accounts, files and operators use the names.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Rail {
        /// The US automated clearing house.
        Ach => "ach",
        /// Wire transfers.
        Wire => "wire",
        /// Paper checks.
        Check => "check",
    }
}

impl LedgerAccount {
    /// Returns true for an account between the ledger and a bank. Each amount on it waits for the statement line that
    /// explains it.
    #[must_use]
    pub const fn is_open_item(self) -> bool {
        match self {
            Self::RailIn(_) | Self::RailOut(_) | Self::ReturnIn | Self::ReturnOut => true,
            Self::Node(_) | Self::Transit | Self::Bank(_) | Self::Suspense => false,
        }
    }

    /// Returns true for an account of returned entries.
    #[must_use]
    pub const fn is_of_returns(self) -> bool {
        matches!(self, Self::ReturnIn | Self::ReturnOut)
    }

    /// The accounts between the ledger and a bank ([`Self::is_open_item`]).
    pub fn of_open_items() -> impl Iterator<Item = Self> {
        let rails = Rail::ALL.into_iter().flat_map(|rail| [Self::RailIn(rail), Self::RailOut(rail)]);
        rails.chain([Self::ReturnIn, Self::ReturnOut])
    }

    /// Number of banking days within which the bank's statement explains an amount on the account; `None` if it is no
    /// account between the ledger and a bank. An older amount is overdue.
    ///
    /// Sources: an ACH credit settles up to two banking days after it was originated (Nacha Operating Rules, 8.101), and is
    /// in the statement of that day or the next; a bank that takes a check for deposit has five business days (12 CFR
    /// 229.12); a bank need not pay a check of ours that is older than six months (UCC 4-404).
    #[must_use]
    pub const fn stated_within(self) -> Option<u32> {
        match self {
            Self::RailIn(Rail::Ach) | Self::RailOut(Rail::Ach) | Self::ReturnIn | Self::ReturnOut => Some(3),
            Self::RailIn(Rail::Wire) | Self::RailOut(Rail::Wire) => Some(1),
            Self::RailIn(Rail::Check) => Some(5),
            Self::RailOut(Rail::Check) => Some(126),
            Self::Node(_) | Self::Transit | Self::Bank(_) | Self::Suspense => None,
        }
    }

    /// The node, if the account is a node's.
    #[must_use]
    pub const fn node(self) -> Option<NodeId> {
        match self {
            Self::Node(node) => Some(node),
            Self::Transit
            | Self::RailIn(_)
            | Self::RailOut(_)
            | Self::ReturnIn
            | Self::ReturnOut
            | Self::Bank(_)
            | Self::Suspense => None,
        }
    }
}

impl fmt::Display for LedgerAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(node) => write!(f, "node:{node}"),
            Self::Transit => f.write_str("transit"),
            Self::RailIn(rail) => write!(f, "rail.in.{}", rail.as_str()),
            Self::RailOut(rail) => write!(f, "rail.out.{}", rail.as_str()),
            Self::ReturnIn => f.write_str("ret.in"),
            Self::ReturnOut => f.write_str("ret.out"),
            Self::Bank(bank) => write!(f, "bank.fbo.{bank}"),
            Self::Suspense => f.write_str("suspense"),
        }
    }
}

impl FromStr for LedgerAccount {
    type Err = PostingError;
    fn from_str(text: &str) -> Result<Self, PostingError> {
        let known = match text {
            "transit" => Some(Self::Transit),
            "ret.in" => Some(Self::ReturnIn),
            "ret.out" => Some(Self::ReturnOut),
            "suspense" => Some(Self::Suspense),
            _ => None,
        };
        let after = |prefix: &str| text.strip_prefix(prefix);
        known
            .or_else(|| after("node:")?.parse().ok().map(Self::Node))
            .or_else(|| Rail::parse(after("rail.in.")?).map(Self::RailIn))
            .or_else(|| Rail::parse(after("rail.out.")?).map(Self::RailOut))
            .or_else(|| Bank::parse(after("bank.fbo.")?).map(Self::Bank))
            .ok_or(PostingError::UnknownAccount)
    }
}

stored_as_text!(LedgerAccount);

/// One line of a set of postings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posting {
    /// The account.
    pub account: LedgerAccount,
    /// Minor units; a debit is positive, a credit negative.
    pub amount: i64,
}

/// Reasons for which lines are not a set of postings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PostingError {
    /// Debits and credits differ.
    #[error("postings do not sum to zero")]
    Unbalanced,
    /// A line with the amount zero.
    #[error("a posting of zero")]
    Zero,
    /// Unknown ledger account.
    #[error("unknown ledger account")]
    UnknownAccount,
}

/// A set of lines in one currency whose debits equal its credits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Lines")]
pub struct Postings {
    currency: Currency,
    lines: Vec<Posting>,
}

/// Postings in stored form, before the check that they balance.
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
    /// Creates a set of postings.
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

    /// Moves money out of `from` into each of `to`: one debit for the total, one credit each. Balanced by construction.
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

    /// Moves money out of `from` into `to`.
    #[must_use]
    pub(crate) fn between(
        currency: Currency,
        debit: LedgerAccount,
        credit: LedgerAccount,
        amount: i64,
    ) -> Self {
        Self::transfer(currency, debit, &[(credit, amount)])
    }

    /// Reversal of `net`: negates every line and posts it to the account that `place` returns for it. `None` if `net`
    /// is empty.
    ///
    /// With the identity function it undoes `net` exactly.
    #[must_use]
    pub(crate) fn reversal(net: &Net, place: impl Fn(LedgerAccount) -> LedgerAccount) -> Option<Self> {
        let line = |(&account, &amount): (&LedgerAccount, &i64)| Posting {
            account: place(account),
            amount: -amount,
        };
        let lines: Vec<Posting> = net.lines.iter().map(line).collect();
        (!lines.is_empty()).then_some(Self { currency: net.currency, lines })
    }

    /// The postings that undo these.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let line = |line: &Posting| Posting { amount: line.amount.saturating_neg(), ..*line };
        Self { currency: self.currency, lines: self.lines.iter().map(line).collect() }
    }

    /// The currency of all lines.
    #[must_use]
    pub fn currency(&self) -> Currency {
        self.currency
    }

    /// The lines, in order.
    #[must_use]
    pub fn lines(&self) -> &[Posting] {
        &self.lines
    }

    /// Gains (positive) and losses of the held nodes, from the owner's view: the sign is opposite to that of the line.
    pub fn node_changes(&self) -> impl Iterator<Item = (NodeId, i64)> + '_ {
        self.lines.iter().filter_map(|line| Some((line.account.node()?, line.amount.saturating_neg())))
    }
}

/// Sum of a transaction's postings so far, by ledger account. Accounts with the sum zero are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Net {
    currency: Currency,
    lines: BTreeMap<LedgerAccount, i64>,
}

impl Net {
    /// The sum of no postings.
    #[must_use]
    pub fn new(currency: Currency) -> Self {
        Self { currency, lines: BTreeMap::new() }
    }

    /// Adds the postings of one event.
    pub fn add(&mut self, postings: &Postings) {
        for line in &postings.lines {
            self.post(line.account, line.amount);
        }
    }

    /// Takes an amount of one account away.
    pub(crate) fn take(&mut self, account: LedgerAccount, amount: i64) {
        self.post(account, amount.saturating_neg());
    }

    fn post(&mut self, account: LedgerAccount, amount: i64) {
        let sum = self.lines.entry(account).or_default();
        *sum = sum.saturating_add(amount);
        if *sum == 0 {
            self.lines.remove(&account);
        }
    }

    /// Accounts whose sum is not zero; debit positive.
    pub fn lines(&self) -> impl Iterator<Item = (LedgerAccount, i64)> + '_ {
        self.lines.iter().map(|(&account, &amount)| (account, amount))
    }

    /// Returns true if the sum of every account is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Sum of `account`; debit positive.
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
    fn unbalanced_postings_fail_construction_and_parsing() {
        let lines = vec![line(LedgerAccount::Transit, 5), line(LedgerAccount::RailIn(Rail::Ach), -4)];
        assert_eq!(Postings::new(Currency::USD, lines), Err(PostingError::Unbalanced));
        let stored = r#"{"currency":"USD","lines":[{"account":"transit","amount":5}]}"#;
        assert!(serde_json::from_str::<Postings>(stored).is_err());
    }

    #[test]
    fn overflowing_sum_is_not_taken_for_zero() {
        let lines = vec![
            line(LedgerAccount::Transit, i64::MAX),
            line(LedgerAccount::Transit, i64::MAX),
            line(LedgerAccount::Transit, 2),
        ];
        assert_eq!(Postings::new(Currency::USD, lines), Err(PostingError::Unbalanced));
    }

    #[test]
    fn net_and_its_reversal_sum_to_zero() {
        let node = LedgerAccount::Node(NodeId::from_u128(1));
        let mut net = Net::new(Currency::USD);
        net.add(&Postings::transfer(Currency::USD, node, &[(LedgerAccount::Transit, 7)]));
        assert_eq!((net.on(node), net.on(LedgerAccount::Transit)), (7, -7));
        net.add(&Postings::reversal(&net, |account| account).expect("something to undo"));
        assert_eq!(net, Net::new(Currency::USD));
    }

    #[test]
    fn ledger_account_reads_back_from_its_name() {
        let rails = Rail::ALL
            .into_iter()
            .flat_map(|rail| [LedgerAccount::RailIn(rail), LedgerAccount::RailOut(rail)]);
        let others = [
            LedgerAccount::Node(NodeId::from_u128(1)),
            LedgerAccount::Transit,
            LedgerAccount::ReturnIn,
            LedgerAccount::ReturnOut,
            LedgerAccount::Bank(Bank::SANDBOX),
            LedgerAccount::Suspense,
        ];
        for account in rails.chain(others) {
            assert_eq!(account.to_string().parse(), Ok(account));
        }
        for text in ["bank", "bank.fbo.", "rail.in.", "rail.in.pony", "node:", "transit "] {
            assert_eq!(text.parse::<LedgerAccount>(), Err(PostingError::UnknownAccount), "{text}");
        }
    }
}
