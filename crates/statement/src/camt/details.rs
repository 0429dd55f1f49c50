//! Details of an entry. Source: ISO 20022, camt.053, `NtryDtls`: a batch or transactions, or both, any number of times.
//!
//! One entry is one line. A single detail is about the whole line; several are its parts.

use daybook_domain::Currency;

use super::batch::{self, Batch};
use super::codes::TransactionCode;
use super::entry::{NTRY, refer, signed};
use super::texts::Words;
use super::values::{Amount, Leaf, fault, set};
use crate::amount::decimal;
use crate::statement::find;
use crate::{Fault, Line, Part, ReferenceKind, References};

/// Details of an entry that is being read.
#[derive(Default)]
pub(super) struct Details {
    /// One for each list, with the batch that it states.
    lists: Vec<Batch>,
    all: Vec<Detail>,
}

/// Parts of a line that its single detail states, and not the entry.
#[derive(Default)]
pub(super) struct Rest {
    pub(super) code: TransactionCode,
    pub(super) words: Words,
}

/// Transaction within an entry: `TxDtls`.
#[derive(Default)]
pub(super) struct Detail {
    /// `Amt`, of later versions.
    amount: Option<Amount>,
    /// `AmtDtls/TxAmt`, for versions and banks that state no other.
    transaction: Option<Amount>,
    is_credit: Option<bool>,
    references: References,
    return_reason: Option<String>,
    code: TransactionCode,
    words: Words,
    has_charges: bool,
}

impl Details {
    pub(super) fn open_list(&mut self) {
        self.lists.push(Batch::from(self.all.len()));
    }

    pub(super) fn open(&mut self) {
        self.all.push(Detail::default());
        if let Some(list) = self.lists.last_mut() {
            list.details.end = self.all.len();
        }
    }

    pub(super) fn size(&self) -> usize {
        self.lists.len() + self.all.len()
    }

    /// Takes a value of a detail or of a batch.
    pub(super) fn leaf(&mut self, leaf: Leaf<'_>) -> Result<(), Fault> {
        match (leaf.within("NtryDtls/Btch/"), self.lists.last_mut(), self.all.last_mut()) {
            (Some(_), Some(list), _) => list.leaf(leaf),
            (None, _, Some(detail)) if leaf.field.starts_with("NtryDtls/TxDtls/") => detail.leaf(leaf),
            _ => Ok(()),
        }
    }

    /// Checks the details, and moves them to the line.
    pub(super) fn finish(
        &mut self,
        line: &mut Line,
        currency: Currency,
        charged: bool,
    ) -> Result<Rest, Fault> {
        let Self { lists, all } = self;
        let charged = charged || all.iter().any(|detail| detail.has_charges);
        let (amount, start) = (line.amount, line.bytes.start);
        let mut amounts: Vec<_> = all.iter().map(|detail| detail.signed(currency, amount >= 0)).collect();
        let sum = sum(&amounts);
        if sum.is_some_and(|sum| sum != i128::from(amount)) {
            if !charged {
                return Err(other_sum(start, sum.unwrap_or_default(), amount, currency));
            }
            // Charges lie between the details and the entry, so the details do not make the line's amount.
            amounts.fill(None);
        }
        for list in lists.iter().filter(|list| list.is_stated) {
            list.check(&amounts, (amount, currency, charged), lists.len() == 1)?;
        }
        let single = if all.len() == 1 { all.pop() } else { None };
        line.parts = all.drain(..).zip(amounts).map(|(detail, amount)| detail.part(amount)).collect();
        batch::share(lists, line);
        lists.clear();
        let Some(detail) = single else { return Ok(Rest::default()) };
        add(&mut line.references, detail.references);
        line.return_reason = detail.return_reason;
        Ok(Rest { code: detail.code, words: detail.words })
    }
}

/// Sum of amounts, if there are any and all are known.
pub(super) fn sum(amounts: &[Option<i64>]) -> Option<i128> {
    let sum = amounts.iter().try_fold(0, |sum, amount| amount.map(|amount| sum + i128::from(amount)));
    sum.filter(|_| !amounts.is_empty())
}

/// Adds references of kinds that are not stated yet.
pub(super) fn add(references: &mut References, others: References) {
    for (kind, value) in others {
        if find(references, kind).is_none() {
            references.push((kind, value));
        }
    }
}

/// Fault of details that sum to another amount. Amounts are shown as the entry shows its own, without sign.
fn other_sum(at: usize, sum: i128, amount: i64, currency: Currency) -> Fault {
    let shown = |minor: i128| decimal(if amount < 0 { -minor } else { minor }, '.', currency);
    let why = "details sum to another amount than the entry";
    fault(at, NTRY, "NtryDtls", why).expected(shown(amount.into())).found(shown(sum))
}

impl Detail {
    fn leaf(&mut self, leaf: Leaf<'_>) -> Result<(), Fault> {
        let field = leaf.field.strip_prefix("NtryDtls/TxDtls/").unwrap_or_default();
        if let Some(kind) = field.strip_prefix("Refs/").and_then(kind_of) {
            return refer(&mut self.references, kind, leaf);
        }
        if let Some(code) = leaf.within("NtryDtls/TxDtls/BkTxCd/") {
            return self.code.leaf(code);
        }
        match field {
            "Amt" => set(&mut self.amount, leaf.amount(NTRY)?, leaf, NTRY),
            "AmtDtls/TxAmt/Amt" => set(&mut self.transaction, leaf.amount(NTRY)?, leaf, NTRY),
            "CdtDbtInd" => set(&mut self.is_credit, leaf.is_credit(NTRY)?, leaf, NTRY),
            "RtrInf/Rsn/Cd" | "RtrInf/Rsn/Prtry" if !leaf.text.is_empty() => {
                set(&mut self.return_reason, leaf.text.to_owned(), leaf, NTRY)
            }
            "RmtInf/Ustrd"
            | "RmtInf/Strd/RfrdDocInf/Nb"
            | "RmtInf/Strd/CdtrRefInf/Ref"
            | "RmtInf/Strd/AddtlRmtInf"
            | "RtrInf/AddtlInf"
            | "AddtlTxInf" => {
                self.words.add(leaf.text);
                Ok(())
            }
            _ => {
                self.has_charges |= field.starts_with("Chrgs");
                Ok(())
            }
        }
    }

    /// Amount with its sign, if it is stated in the currency of the entry. Up to .02 the sign is that of the entry.
    fn signed(&self, currency: Currency, is_credit: bool) -> Option<i64> {
        let amount = self.amount.or(self.transaction).filter(|amount| amount.currency == currency)?;
        Some(signed(amount.minor, self.is_credit.unwrap_or(is_credit)))
    }

    fn part(self, amount: Option<i64>) -> Part {
        let Self { mut references, return_reason, words, .. } = self;
        references.shrink_to_fit();
        Part { amount, references, return_reason, text: words.text() }
    }
}

/// Kind of a reference of `Refs`.
fn kind_of(field: &str) -> Option<ReferenceKind> {
    Some(match field {
        "MsgId" => ReferenceKind::Message,
        "AcctSvcrRef" => ReferenceKind::Bank,
        "PmtInfId" => ReferenceKind::Payment,
        "InstrId" => ReferenceKind::Instruction,
        "EndToEndId" => ReferenceKind::EndToEnd,
        "TxId" => ReferenceKind::Transaction,
        "MndtId" => ReferenceKind::Mandate,
        "ChqNb" => ReferenceKind::Check,
        "AcctOwnrTxId" => ReferenceKind::Customer,
        _ => return None,
    })
}
