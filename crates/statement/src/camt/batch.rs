//! Batch that is booked as one entry. Source: ISO 20022, camt.053, `Btch`.

use std::ops::Range;

use daybook_domain::Currency;

use super::details::{add, sum};
use super::entry::{NTRY, refer, signed};
use super::values::{Amount, Leaf, fault, set};
use crate::amount::decimal;
use crate::statement::find;
use crate::{Fault, Line, ReferenceKind, References};

/// List of details, and the batch that it states.
#[derive(Default)]
pub(super) struct Batch {
    /// Its details among all of the entry.
    pub(super) details: Range<usize>,
    /// True if there is a batch.
    pub(super) is_stated: bool,
    references: References,
    /// Number of transactions, and its place.
    count: Option<(u64, usize)>,
    total: Option<Amount>,
    is_credit: Option<bool>,
}

impl Batch {
    /// List that begins with a detail.
    pub(super) fn from(detail: usize) -> Self {
        Self { details: detail..detail, ..Self::default() }
    }

    pub(super) fn leaf(&mut self, leaf: Leaf<'_>) -> Result<(), Fault> {
        self.is_stated = true;
        match leaf.field.strip_prefix("NtryDtls/Btch/").unwrap_or_default() {
            "MsgId" => refer(&mut self.references, ReferenceKind::Message, leaf),
            "PmtInfId" => refer(&mut self.references, ReferenceKind::Payment, leaf),
            "NbOfTxs" => set(&mut self.count, (leaf.count(NTRY)?, leaf.at), leaf, NTRY),
            "TtlAmt" => set(&mut self.total, leaf.amount(NTRY)?, leaf, NTRY),
            "CdtDbtInd" => set(&mut self.is_credit, leaf.is_credit(NTRY)?, leaf, NTRY),
            _ => Ok(()),
        }
    }

    /// Checks number and total of the batch. `amounts` are those of all details of the entry.
    pub(super) fn check(
        &self,
        amounts: &[Option<i64>],
        (amount, currency, charged): (i64, Currency, bool),
        is_only: bool,
    ) -> Result<(), Fault> {
        self.check_count()?;
        let own = amounts.get(self.details.clone()).and_then(sum);
        let expected = if is_only { Some(i128::from(amount)) } else { own };
        let total = self.total.filter(|total| total.currency == currency && !charged);
        let (Some(expected), Some(total)) = (expected, total) else { return Ok(()) };
        let sign = self.is_credit.unwrap_or(amount >= 0);
        if i128::from(signed(total.minor, sign)) == expected {
            return Ok(());
        }
        let shown = |minor: i128| decimal(minor, '.', currency);
        let why = "the batch has another total than its entry or details";
        let found = signed(total.minor, sign).into();
        Err(fault(total.at, NTRY, "NtryDtls/Btch/TtlAmt", why).expected(shown(expected)).found(shown(found)))
    }

    /// Checks the number of transactions. A bank may state a batch without details, or with one about the whole batch.
    fn check_count(&self) -> Result<(), Fault> {
        match self.count {
            Some((count, at))
                if self.details.len() > 1 && usize::try_from(count) != Ok(self.details.len()) =>
            {
                let why = "the batch has another number of details";
                let fault = fault(at, NTRY, "NtryDtls/Btch/NbOfTxs", why);
                Err(fault.expected(self.details.len()).found(count))
            }
            _ => Ok(()),
        }
    }

    fn reference(&self, kind: ReferenceKind) -> Option<&str> {
        find(&self.references, kind)
    }
}

/// Adds the references of batches to their line. If the batches of one line contradict one another, each reference is
/// added to the parts of its batch.
pub(super) fn share(lists: &[Batch], line: &mut Line) {
    for kind in [ReferenceKind::Message, ReferenceKind::Payment] {
        let mut values = lists.iter().filter_map(|list| list.reference(kind));
        let Some(first) = values.next() else { continue };
        if values.all(|value| value == first) {
            add(&mut line.references, vec![(kind, first.to_owned())]);
            continue;
        }
        for list in lists {
            let parts = line.parts.get_mut(list.details.clone()).unwrap_or_default();
            let Some(value) = list.reference(kind) else { continue };
            for part in parts {
                add(&mut part.references, vec![(kind, value.to_owned())]);
            }
        }
    }
}
