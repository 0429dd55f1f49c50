//! Code of a bank's transaction. Source: ISO 20022, `BkTxCd`.

use super::entry::NTRY;
use super::values::{Leaf, set};
use crate::{CodeKind, Codes, Fault};

/// Code of a transaction: of ISO 20022, of the bank's own, or both.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct TransactionCode {
    domain: Option<String>,
    family: Option<String>,
    sub_family: Option<String>,
    proprietary: Option<String>,
}

impl TransactionCode {
    /// Takes a value of `BkTxCd`.
    pub(super) fn leaf(&mut self, leaf: Leaf<'_>) -> Result<(), Fault> {
        let value = match leaf.field {
            "Domn/Cd" => &mut self.domain,
            "Domn/Fmly/Cd" => &mut self.family,
            "Domn/Fmly/SubFmlyCd" => &mut self.sub_family,
            "Prtry/Cd" => &mut self.proprietary,
            _ => return Ok(()),
        };
        if leaf.text.is_empty() { Ok(()) } else { set(value, leaf.text.to_owned(), leaf, NTRY) }
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Codes by their kinds.
    pub(super) fn codes(&self) -> Codes {
        let iso: Vec<_> = [&self.domain, &self.family, &self.sub_family].into_iter().flatten().collect();
        let iso: Vec<&str> = iso.into_iter().map(String::as_str).collect();
        let iso = (!iso.is_empty()).then(|| (CodeKind::Iso, iso.join("/")));
        let own = self.proprietary.clone().map(|code| (CodeKind::Proprietary, code));
        iso.into_iter().chain(own).collect()
    }
}
