//! Entry classes and entry descriptions: what a batch says about its entries, chosen by data.

use std::sync::LazyLock;

use daybook_domain::custody::Authorizations;
use daybook_domain::data_lines;

use crate::rails::file::{Direction, Originator};

const CLASSES: &str = include_str!("entry_classes.txt");
const DESCRIPTIONS: &str = include_str!("entry_descriptions.txt");

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| data_lines(CLASSES).filter_map(Row::parse).collect());

/// A class of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryClass {
    /// Credits to consumers, and debits that they authorized in writing.
    Ppd,
    /// To and from accounts of businesses.
    Ccd,
    /// Debits that consumers authorized over the internet.
    Web,
}

/// What an entry is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// A payment: described as the bank wants it.
    Payment,
    /// A micro-deposit.
    AccountCheck,
    /// A pull that came back is presented again.
    Again,
}

/// A line of the file of classes.
struct Row {
    direction: Direction,
    is_business: bool,
    authorizations: Authorizations,
    class: EntryClass,
}

impl Row {
    fn parse(line: &str) -> Option<Self> {
        let [direction, account, authorizations, class] = line.split(' ').collect::<Vec<_>>()[..] else {
            return None;
        };
        Some(Self {
            direction: match direction {
                "push" => Direction::Push,
                "pull" => Direction::Pull,
                _ => return None,
            },
            is_business: match account {
                "PERSONAL" => false,
                "BUSINESS" => true,
                _ => return None,
            },
            authorizations: match authorizations {
                "internet" => Authorizations::Internet,
                "written" => Authorizations::Written,
                _ => return None,
            },
            class: match class {
                "PPD" => EntryClass::Ppd,
                "CCD" => EntryClass::Ccd,
                "WEB" => EntryClass::Web,
                _ => return None,
            },
        })
    }
}

impl EntryClass {
    /// The class of an entry to or from an account; PPD in files from before there were classes.
    pub(crate) fn of(
        direction: Direction,
        is_business: bool,
        authorizations: Option<Authorizations>,
    ) -> Self {
        let asked = (direction, is_business, authorizations);
        let row = ROWS.iter().find(|row| (row.direction, row.is_business, Some(row.authorizations)) == asked);
        row.map_or(Self::Ppd, |row| row.class)
    }

    /// As batch headers name it.
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Ppd => "PPD",
            Self::Ccd => "CCD",
            Self::Web => "WEB",
        }
    }

    /// What stands in the last two columns before the addenda record indicator: of a debit over the internet, that it is
    /// one of its own and no part of a series.
    pub(super) const fn payment_type(self) -> &'static str {
        match self {
            Self::Web => "S ",
            Self::Ppd | Self::Ccd => "  ",
        }
    }
}

impl Purpose {
    /// What the batch of such entries says.
    pub(super) fn description(self, originator: &Originator) -> &str {
        let name = match self {
            Self::Payment => return &originator.description,
            Self::AccountCheck => "account_check ",
            Self::Again => "again ",
        };
        data_lines(DESCRIPTIONS).find_map(|line| line.strip_prefix(name)).unwrap_or(&originator.description)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rails::file::tests::originator;

    #[test]
    fn accounts_have_a_class_for_both_ways() {
        use Authorizations::{Internet, Written};
        use Direction::{Pull, Push};
        use EntryClass::{Ccd, Ppd, Web};
        let table = [
            (Push, false, Internet, Ppd),
            (Push, false, Written, Ppd),
            (Push, true, Internet, Ccd),
            (Push, true, Written, Ccd),
            (Pull, false, Internet, Web),
            (Pull, false, Written, Ppd),
            (Pull, true, Internet, Ccd),
            (Pull, true, Written, Ccd),
        ];
        assert_eq!((ROWS.len(), data_lines(CLASSES).count()), (table.len(), table.len()));
        for (direction, is_business, authorizations, class) in table {
            assert_eq!(EntryClass::of(direction, is_business, Some(authorizations)), class);
            assert_eq!(EntryClass::of(direction, is_business, None), Ppd);
        }
    }

    #[test]
    fn the_rules_prescribe_some_descriptions() {
        let originator = originator();
        let table = [
            (Purpose::Payment, "Payment"),
            (Purpose::AccountCheck, "ACCTVERIFY"),
            (Purpose::Again, "RETRY PYMT"),
        ];
        for (purpose, description) in table {
            assert_eq!(purpose.description(&originator), description);
        }
        assert!(
            data_lines(DESCRIPTIONS).all(|line| line.split_once(' ').is_some_and(|(_, it)| it.len() <= 10))
        );
    }
}
