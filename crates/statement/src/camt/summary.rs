//! Summary of a statement: counts and sums that its entries must have. Source: ISO 20022, camt.053, `TxsSummry`.

use super::codes::TransactionCode;
use super::values::{Leaf, set};
use crate::Fault;

/// Name of the record.
pub(super) const SUMMARY: &str = "TxsSummry";

/// Count or sum that a summary states.
#[derive(Clone)]
pub(super) struct Claim {
    /// Path within the summary.
    pub(super) field: String,
    /// The entries that it is about: true for credits only, false for debits only.
    pub(super) side: Option<bool>,
    /// Code of the transactions that it is about.
    pub(super) code: Option<TransactionCode>,
    pub(super) value: Value,
    /// Offset of the value.
    pub(super) at: usize,
}

/// Value of a claim. Sums are texts until their currency is known.
#[derive(Clone)]
pub(super) enum Value {
    /// Number of entries.
    Count(u64),
    /// Sum of amounts without signs.
    Sum(String),
    /// Sum of amounts with their signs. Its own sign is that of `CdtDbtInd`, if it is stated.
    Net(String, Option<bool>),
}

/// Summary that is being read.
#[derive(Default)]
pub(super) struct Draft {
    claims: Vec<Claim>,
    group: Group,
}

/// Element of a summary that is being read, such as `TtlNtries`.
#[derive(Default)]
struct Group {
    claims: Vec<Claim>,
    code: TransactionCode,
    is_credit: Option<bool>,
    /// True for a forecast, or the sum of one day of availability: other entries than those of the statement.
    is_other: bool,
}

impl Draft {
    /// Takes a value. The net amount is `TtlNetNtryAmt` in the first versions, `TtlNetNtry/Amt` in later ones.
    pub(super) fn leaf(&mut self, leaf: Leaf<'_>) -> Result<(), Fault> {
        let (name, field) = leaf.field.split_once('/').unwrap_or_default();
        let side = match name {
            "TtlCdtNtries" => Some(true),
            "TtlDbtNtries" => Some(false),
            _ => None,
        };
        let group = &mut self.group;
        if let Some(code) = leaf.within("TtlNtriesPerBkTxCd/BkTxCd/") {
            return group.code.leaf(code);
        }
        match field {
            "NbOfNtries" => group.claim(leaf, side, Value::Count(leaf.count(SUMMARY)?)),
            "CdtNtries/NbOfNtries" => group.claim(leaf, Some(true), Value::Count(leaf.count(SUMMARY)?)),
            "DbtNtries/NbOfNtries" => group.claim(leaf, Some(false), Value::Count(leaf.count(SUMMARY)?)),
            "Sum" => group.claim(leaf, side, Value::Sum(leaf.text.to_owned())),
            "CdtNtries/Sum" => group.claim(leaf, Some(true), Value::Sum(leaf.text.to_owned())),
            "DbtNtries/Sum" => group.claim(leaf, Some(false), Value::Sum(leaf.text.to_owned())),
            "TtlNetNtryAmt" | "TtlNetNtry/Amt" => {
                group.claim(leaf, side, Value::Net(leaf.text.to_owned(), None));
            }
            "CdtDbtInd" | "TtlNetNtry/CdtDbtInd" => {
                set(&mut group.is_credit, leaf.is_credit(SUMMARY)?, leaf, SUMMARY)?;
            }
            "FcstInd" => group.is_other |= leaf.flag(SUMMARY)?,
            _ => group.is_other |= field.starts_with("Dt/"),
        }
        Ok(())
    }

    /// Ends an element of the summary.
    pub(super) fn close_group(&mut self, name: &str) {
        let Group { claims, code, is_credit, is_other } = std::mem::take(&mut self.group);
        if is_other {
            return;
        }
        let of_code = (name == "TtlNtriesPerBkTxCd" && !code.is_empty()).then_some(code);
        let of_none = name == "TtlNtriesPerBkTxCd" && of_code.is_none();
        for mut claim in claims.into_iter().filter(|_| !of_none) {
            if let Value::Net(_, sign) = &mut claim.value {
                *sign = is_credit;
            }
            self.claims.push(Claim { code: of_code.clone(), ..claim });
        }
    }

    pub(super) fn finish(self) -> Vec<Claim> {
        self.claims
    }
}

impl Group {
    fn claim(&mut self, leaf: Leaf<'_>, side: Option<bool>, value: Value) {
        let field = leaf.field.to_owned();
        self.claims.push(Claim { field, side, code: None, value, at: leaf.at });
    }
}
