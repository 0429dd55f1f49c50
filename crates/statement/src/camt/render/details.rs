//! Details of an entry.

use daybook_domain::Currency;

use super::WITH_AMOUNTS;
use super::markup::Markup;
use crate::statement::find;
use crate::{Line, Part, ReferenceKind, References};

/// Maximum number of letters of `Ustrd`. Source: ISO 20022, `Max140Text`.
const MAX_USTRD: usize = 140;

/// References of a detail, in the order of the schema.
const REFERENCES: [(&str, ReferenceKind); 9] = [
    ("MsgId", ReferenceKind::Message),
    ("AcctSvcrRef", ReferenceKind::Bank),
    ("PmtInfId", ReferenceKind::Payment),
    ("InstrId", ReferenceKind::Instruction),
    ("EndToEndId", ReferenceKind::EndToEnd),
    ("TxId", ReferenceKind::Transaction),
    ("MndtId", ReferenceKind::Mandate),
    ("ChqNb", ReferenceKind::Check),
    ("AcctOwnrTxId", ReferenceKind::Customer),
];

/// Writes the details of a line: its parts, or one detail about the whole of it. Returns true if the text of the line
/// has no place in them.
pub(super) fn write(to: &mut Markup, version: u32, line: &Line, currency: Currency) -> bool {
    let is_long = !line.text.is_empty() && (!line.parts.is_empty() || line.text.chars().count() > MAX_USTRD);
    let of_entry = |kind| matches!(kind, ReferenceKind::Bank | ReferenceKind::Entry);
    let rest = line.references.iter().filter(|(kind, _)| !of_entry(*kind)).cloned();
    let whole = Part {
        amount: Some(line.amount),
        references: rest.collect(),
        return_reason: line.return_reason.clone(),
        text: if is_long { String::new() } else { line.text.clone() },
    };
    let is_empty = whole.references.is_empty() && whole.return_reason.is_none() && whole.text.is_empty();
    if line.parts.is_empty() && is_empty {
        return is_long;
    }
    to.open("NtryDtls");
    if !line.parts.is_empty() {
        batch(to, line);
    }
    let whole = line.parts.is_empty().then_some(&whole);
    for part in whole.into_iter().chain(&line.parts) {
        detail(to, version, part, currency);
    }
    to.close("NtryDtls");
    is_long
}

fn batch(to: &mut Markup, line: &Line) {
    to.open("Btch");
    let kinds = [ReferenceKind::Message, ReferenceKind::Payment];
    references(to, &line.references, |kind| kinds.contains(&kind));
    to.leaf("NbOfTxs", &line.parts.len().to_string());
    to.close("Btch");
}

fn detail(to: &mut Markup, version: u32, part: &Part, currency: Currency) {
    to.open("TxDtls");
    if !part.references.is_empty() {
        to.open("Refs");
        references(to, &part.references, |_| true);
        to.close("Refs");
    }
    match part.amount {
        Some(amount) if version < WITH_AMOUNTS => {
            to.open("AmtDtls");
            to.open("TxAmt");
            to.amount("Amt", amount, currency);
            to.close("TxAmt");
            to.close("AmtDtls");
        }
        Some(amount) => {
            to.amount("Amt", amount, currency);
            to.sign(amount >= 0);
        }
        None => {}
    }
    if !part.text.is_empty() {
        to.open("RmtInf");
        to.leaf("Ustrd", &part.text);
        to.close("RmtInf");
    }
    if let Some(reason) = &part.return_reason {
        to.open("RtrInf");
        to.open("Rsn");
        to.leaf(if reason.len() <= 4 { "Cd" } else { "Prtry" }, reason);
        to.close("Rsn");
        to.close("RtrInf");
    }
    to.close("TxDtls");
}

fn references(to: &mut Markup, references: &References, is_wanted: impl Fn(ReferenceKind) -> bool) {
    for (name, kind) in REFERENCES.into_iter().filter(|(_, kind)| is_wanted(*kind)) {
        if let Some(value) = find(references, kind) {
            to.leaf(name, value);
        }
    }
}
