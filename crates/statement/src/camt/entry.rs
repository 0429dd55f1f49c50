//! Entry of a statement: one line. Source: ISO 20022, camt.053, `Ntry`.

use daybook_domain::Currency;
use daybook_domain::calendar::Day;

use super::codes::TransactionCode;
use super::details::Details;
use super::texts::Words;
use super::values::{Amount, Leaf, fault, required, set};
use crate::statement::find;
use crate::{Fault, Line, ReferenceKind, References};

/// Name of the record.
pub(super) const NTRY: &str = "Ntry";

/// Codes of `Sts`, true for those of a booked entry. Source: ISO 20022 external code list, entry status.
const STATUS: [(&str, bool); 4] = [("BOOK", true), ("PDNG", false), ("INFO", false), ("FUTR", false)];

/// Entry as it was read.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) line: Line,
    pub(super) currency: Currency,
    /// Meaning of `CdtDbtInd`, which an amount of zero does not show.
    pub(super) is_credit: bool,
}

impl Entry {
    /// Offset of its start.
    pub(super) fn at(&self) -> usize {
        self.line.bytes.start
    }
}

/// Entry that is being read.
#[derive(Default)]
pub(super) struct Draft {
    start: usize,
    amount: Option<Amount>,
    is_credit: Option<bool>,
    is_reversal: Option<bool>,
    is_booked: Option<bool>,
    booking: Option<Day>,
    value: Option<Day>,
    references: References,
    code: TransactionCode,
    words: Words,
    has_charges: bool,
    details: Details,
}

impl Draft {
    /// Begins an entry. `details` have none yet.
    pub(super) fn new(start: usize, details: Details) -> Self {
        Self { start, details, ..Self::default() }
    }

    /// Begins a list of details, or a detail.
    pub(super) fn open(&mut self, path: &str) {
        match path {
            "NtryDtls" => self.details.open_list(),
            "NtryDtls/TxDtls" => self.details.open(),
            _ => {}
        }
    }

    /// Takes a value. The status is a text in versions up to .06 and a code from .07 on; no text can be both.
    pub(super) fn leaf(&mut self, leaf: Leaf<'_>) -> Result<(), Fault> {
        if leaf.field.starts_with("NtryDtls/") {
            return self.details.leaf(leaf);
        }
        if let Some(code) = leaf.within("BkTxCd/") {
            return self.code.leaf(code);
        }
        match leaf.field {
            "Amt" => set(&mut self.amount, leaf.amount(NTRY)?, leaf, NTRY),
            "CdtDbtInd" => set(&mut self.is_credit, leaf.is_credit(NTRY)?, leaf, NTRY),
            "RvslInd" => set(&mut self.is_reversal, leaf.flag(NTRY)?, leaf, NTRY),
            "Sts" | "Sts/Cd" => set(&mut self.is_booked, leaf.choice(NTRY, &STATUS)?, leaf, NTRY),
            "Sts/Prtry" => set(&mut self.is_booked, false, leaf, NTRY),
            "BookgDt/Dt" | "BookgDt/DtTm" => set(&mut self.booking, leaf.day(NTRY)?, leaf, NTRY),
            "ValDt/Dt" | "ValDt/DtTm" => set(&mut self.value, leaf.day(NTRY)?, leaf, NTRY),
            "NtryRef" => refer(&mut self.references, ReferenceKind::Entry, leaf),
            "AcctSvcrRef" => refer(&mut self.references, ReferenceKind::Bank, leaf),
            "AddtlNtryInf" => {
                self.words.add(leaf.text);
                Ok(())
            }
            _ => {
                self.has_charges |= leaf.field.starts_with("Chrgs");
                Ok(())
            }
        }
    }

    /// Number of details so far, and of lists of them.
    pub(super) fn size(&self) -> usize {
        self.details.size()
    }

    /// Checks the entry, and returns it with the memory of its details. `RvslInd` never turns the sign.
    pub(super) fn finish(mut self, end: usize) -> Result<(Entry, Details), Fault> {
        let (amount, currency, is_credit) = self.amount()?;
        let is_booked = required(self.is_booked, self.start, NTRY, "Sts")?;
        let mut line = Line {
            booking: self.booking,
            booking_from: None,
            value: self.value,
            amount,
            booked: is_booked,
            reversal: self.is_reversal.unwrap_or_default(),
            codes: Vec::new(),
            references: self.references,
            return_reason: None,
            text: String::new(),
            parts: Vec::new(),
            bytes: self.start..end,
        };
        let rest = self.details.finish(&mut line, currency, self.has_charges)?;
        line.codes = if self.code.is_empty() { rest.code.codes() } else { self.code.codes() };
        line.text = rest.words.and(self.words).text();
        line.shrink();
        Ok((Entry { line, currency, is_credit }, self.details))
    }

    fn amount(&self) -> Result<(i64, Currency, bool), Fault> {
        let Amount { minor, currency, .. } = required(self.amount, self.start, NTRY, "Amt")?;
        let is_credit = required(self.is_credit, self.start, NTRY, "CdtDbtInd")?;
        Ok((signed(minor, is_credit), currency, is_credit))
    }
}

/// Amount with its sign. Amounts are zero or more, so that their negative always exists.
pub(super) fn signed(minor: i64, is_credit: bool) -> i64 {
    if is_credit { minor } else { minor.saturating_neg() }
}

/// Adds a reference, unless it says that there is none. Source: SEPA rulebooks, `NOTPROVIDED`.
pub(super) fn refer(references: &mut References, kind: ReferenceKind, leaf: Leaf<'_>) -> Result<(), Fault> {
    if leaf.text.is_empty() || leaf.text.eq_ignore_ascii_case("NOTPROVIDED") {
        return Ok(());
    }
    if find(references, kind).is_some() {
        return Err(fault(leaf.at, NTRY, leaf.field, "is stated twice").found(leaf.text));
    }
    references.push((kind, leaf.text.to_owned()));
    Ok(())
}
