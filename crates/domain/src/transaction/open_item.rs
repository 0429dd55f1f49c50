//! Open items: amounts between the ledger and a bank. Also the legs of a transaction that still have to go into a file.

use serde::{Deserialize, Serialize};

use super::{Status, Transaction};
use crate::id::{NodeId, PlatformId, TransactionId};
use crate::money::Currency;
use crate::posting::{LedgerAccount, Rail};
use crate::state::States;
use crate::time::Timestamp;

/// A leg of a transaction that runs over a rail. The numbers are stored with to-dos and never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From an external bank account to us.
    Pull = 1,
    /// From us to a place outside.
    Push = 2,
    /// Back to the external sender, because the push was returned.
    Refund = 3,
}

impl Direction {
    /// The leg with this number.
    #[must_use]
    pub fn from_code(code: i16) -> Option<Self> {
        [Self::Pull, Self::Push, Self::Refund].into_iter().find(|direction| *direction as i16 == code)
    }
}

/// An amount that no statement of the bank has explained yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenItem {
    /// An account of a rail or of returns.
    pub account: LedgerAccount,
    /// Minor units; a debit is positive: money to come to us.
    pub amount: i64,
}

/// An open item, or a part of it, that is cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClearedItem {
    /// The transaction.
    pub transaction: TransactionId,
    /// Account of the item: of a rail or of returns.
    pub account: LedgerAccount,
    /// Minor units; a debit is positive: money to come to us.
    pub amount: i64,
}

impl ClearedItem {
    /// True if a transaction of `platform` in `currency` has this much open on the account.
    pub(crate) fn is_open(&self, states: &impl States, platform: PlatformId, currency: Currency) -> bool {
        let transaction = states.transaction(self.transaction);
        let own = transaction.filter(|it| (it.platform, it.amount.currency) == (platform, currency));
        let open = own.and_then(|it| it.open_items().into_iter().find(|open| open.account == self.account));
        open.is_some_and(|open| {
            open.amount.signum() == self.amount.signum() && open.amount.abs() >= self.amount.abs()
        })
    }
}

impl Transaction {
    /// Open items of the transaction between the ledger and the bank.
    #[must_use]
    pub fn open_items(&self) -> Vec<OpenItem> {
        // Accounts that a statement cleared although a reversal before any file removed them from the net.
        let cleared = self.cleared.lines().filter(|(account, _)| self.net.on(*account) == 0);
        let open = |(account, _)| {
            let amount = self.net.on(account).saturating_add(self.cleared.on(account));
            (account.is_open_item() && amount != 0).then_some(OpenItem { account, amount })
        };
        self.net.lines().chain(cleared).filter_map(open).collect()
    }

    /// Returns true if money went out over a rail and no statement of the bank shows yet that it arrived.
    #[must_use]
    pub fn waits_for_bank(&self) -> bool {
        self.status == Status::ProcessingCredit
            && self.to.external().is_some()
            && self.open_items().iter().any(|item| item.amount <= 0)
    }

    /// Time from which its items are open.
    #[must_use]
    pub fn open_since(&self) -> Timestamp {
        self.moved_at
    }

    /// The leg that has to go into a file next, with the node that the file names and its rail.
    ///
    /// A rail acts on recorded events only: a pull needs a started debit, a push a started credit.
    #[must_use]
    pub fn to_submit(&self) -> Option<(Direction, NodeId, Rail)> {
        let is_open = |direction: &Direction| !self.submitted.contains(direction);
        let leg = |direction, party: &super::Party| {
            let (node, rail) = party.external()?;
            Some((direction, node, rail))
        };
        let pull = leg(Direction::Pull, &self.from).filter(|_| is_open(&Direction::Pull));
        let push =
            leg(Direction::Push, &self.to).filter(|_| is_open(&Direction::Push) && self.net_minor() > 0);
        match self.status {
            Status::ProcessingDebit => pull,
            // The pull goes first; the push waits for it.
            Status::ProcessingCredit | Status::Settled => pull.or(push),
            Status::Returned => {
                leg(Direction::Refund, &self.from).filter(|_| self.refunds() && is_open(&Direction::Refund))
            }
            Status::Queued | Status::Created | Status::Canceled => None,
        }
    }

    /// Party outside to or from which a leg goes.
    #[must_use]
    pub const fn party(&self, direction: Direction) -> &super::Party {
        match direction {
            Direction::Pull | Direction::Refund => &self.from,
            Direction::Push => &self.to,
        }
    }

    /// Amount of a leg, in minor units.
    #[must_use]
    pub fn leg_minor(&self, direction: Direction) -> i64 {
        match direction {
            Direction::Pull | Direction::Refund => self.amount.minor,
            Direction::Push => self.net_minor(),
        }
    }

    /// Returns true if this leg has left: a file with it was recorded, or it never needs one.
    #[must_use]
    pub fn has_left(&self, direction: Direction) -> bool {
        let party = self.party(direction);
        self.submitted.contains(&direction) || (party.rail().is_some() && party.external().is_none())
    }

    /// Returns true if the external sender must be refunded: the transaction is over, but the pulled money is still
    /// here.
    fn refunds(&self) -> bool {
        self.has_left(Direction::Pull) && self.net.on(LedgerAccount::ReturnOut) == 0
    }
}
