//! Entry classes and entry descriptions of ACH batches, selected by a data file.

use std::sync::LazyLock;

use daybook_domain::custody::Authorizations;
use daybook_domain::data_lines;

use crate::rails::file::{EntryDirection, Originator};

const CLASSES: &str = include_str!("entry_classes.txt");
const DESCRIPTIONS: &str = include_str!("entry_descriptions.txt");

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| data_lines(CLASSES).filter_map(Row::parse).collect());

/// Standard entry class (SEC) of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryClass {
    /// Credits to consumers, and debits that consumers authorized in writing.
    Ppd,
    /// Credits and debits of business accounts.
    Ccd,
    /// Debits that consumers authorized over the internet.
    Web,
    /// Notifications of change, which only banks send.
    Cor,
}

/// Purpose of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// A payment, with the description that the bank demands.
    Payment,
    /// A micro-deposit.
    AccountCheck,
    /// A returned pull that is presented again.
    Again,
}

/// A line of the data file of classes.
struct Row {
    direction: EntryDirection,
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
                "push" => EntryDirection::Push,
                "pull" => EntryDirection::Pull,
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
    /// Returns the class of an entry for an account; PPD for files from before classes were recorded.
    pub(crate) fn of(
        direction: EntryDirection,
        is_business: bool,
        authorizations: Option<Authorizations>,
    ) -> Self {
        let asked = (direction, is_business, authorizations);
        let row = ROWS.iter().find(|row| (row.direction, row.is_business, Some(row.authorizations)) == asked);
        row.map_or(Self::Ppd, |row| row.class)
    }

    /// Returns the code used in batch headers.
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Ppd => "PPD",
            Self::Ccd => "CCD",
            Self::Web => "WEB",
            Self::Cor => "COR",
        }
    }

    /// Returns the payment type code, the two columns before the addenda record indicator. A debit over the internet is
    /// marked as a single payment, not a recurring one.
    pub(super) const fn payment_type(self) -> &'static str {
        match self {
            Self::Web => "S ",
            Self::Ppd | Self::Ccd | Self::Cor => "  ",
        }
    }
}

impl Purpose {
    /// Returns the entry description of the batch.
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
    fn accounts_have_a_class_per_direction() {
        use Authorizations::{Internet, Written};
        use EntryClass::{Ccd, Ppd, Web};
        use EntryDirection::{Pull, Push};
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
    fn rules_prescribe_some_descriptions() {
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
