//! Types of entries: the codes of each format, and the bank's text.

use daybook_domain::posting::{LedgerAccount, Rail};
use daybook_statement::{CodeKind, Codes};

/// Type of an entry. A line has its codes in all formats, and a writer takes those of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryType {
    bai: &'static str,
    iso: &'static str,
    swift: &'static str,
    pub(super) text: &'static str,
}

/// Monthly fee of the bank.
pub(super) const FEE: EntryType =
    EntryType { bai: "698", iso: "ACMT/MDOP/CHRG", swift: "NCHG", text: "MONTHLY SERVICE FEE" };

impl EntryType {
    /// Type of a whole ACH file with this net amount.
    pub(super) const fn of_file(net: i64) -> Self {
        match net {
            0.. => Self { bai: "166", iso: "PMNT/RCDT/ASET", swift: "NTRF", text: "ACH SETTLEMENT" },
            _ => Self { bai: "466", iso: "PMNT/ICDT/ASET", swift: "NTRF", text: "ACH SETTLEMENT" },
        }
    }

    /// Type of an item of this ledger account and amount.
    pub(super) const fn of_item(account: LedgerAccount, amount: i64) -> Self {
        let is_credit = amount >= 0;
        match account {
            LedgerAccount::RailIn(rail) | LedgerAccount::RailOut(rail) => Self::of_rail(rail, is_credit),
            LedgerAccount::ReturnIn | LedgerAccount::ReturnOut if is_credit => {
                Self { bai: "257", iso: "PMNT/ICDT/ARET", swift: "NRTI", text: "ACH RETURN" }
            }
            LedgerAccount::ReturnIn | LedgerAccount::ReturnOut => {
                Self { bai: "557", iso: "PMNT/IDDT/ARET", swift: "NRTI", text: "ACH RETURN" }
            }
            // No open item has these.
            LedgerAccount::Node(_)
            | LedgerAccount::Transit
            | LedgerAccount::Bank(_)
            | LedgerAccount::Suspense => Self {
                bai: if is_credit { "399" } else { "699" },
                iso: "PMNT/OTHR/OTHR",
                swift: "NMSC",
                text: "MISCELLANEOUS",
            },
        }
    }

    const fn of_rail(rail: Rail, is_credit: bool) -> Self {
        let (bai, iso, swift, text) = match (rail, is_credit) {
            (Rail::Ach, true) => ("142", "PMNT/RCDT/ACDT", "NTRF", "ACH CREDIT"),
            (Rail::Ach, false) => ("451", "PMNT/ICDT/ADBT", "NTRF", "ACH DEBIT"),
            (Rail::Wire, true) => ("195", "PMNT/RCDT/DMCT", "NTRF", "INCOMING WIRE"),
            (Rail::Wire, false) => ("495", "PMNT/ICDT/DMCT", "NTRF", "OUTGOING WIRE"),
            (Rail::Check, true) => ("175", "PMNT/RCHQ/CCHQ", "NCHK", "CHECK DEPOSIT"),
            (Rail::Check, false) => ("475", "PMNT/ICHQ/CCHQ", "NCHK", "CHECK PAID"),
        };
        Self { bai, iso, swift, text }
    }

    /// Codes of the type in all formats.
    pub(super) fn codes(self) -> Codes {
        let codes = [(CodeKind::Bai, self.bai), (CodeKind::Iso, self.iso), (CodeKind::Swift, self.swift)];
        codes.map(|(kind, code)| (kind, code.to_owned())).into()
    }
}
