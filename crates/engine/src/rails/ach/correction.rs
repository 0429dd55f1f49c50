//! Corrected data of a notification of change (addenda 98). Each code has a layout of its own.
//!
//! Source: Nacha Operating Rules, Appendix Five, codes of notifications of change. The corrected data has 29 columns,
//! and 35 in batches of international entries (IAT). Its parts have fixed columns, with blanks between them. Banks also
//! align a part to the other end of these blanks, so the columns of a part include them.

use std::fmt;

use daybook_domain::transaction::Direction;

use super::lines::Record;
use crate::contents::NodeDetails;
use crate::rails::destination::AccountClass;
use crate::rails::file::{FileError, is_digits, is_routing_num};
use crate::rails::incoming::error;

/// First column of the corrected data in the record.
const FIRST: usize = 36;
/// Last column before the trace.
const LAST: usize = 79;
/// Width of the corrected data.
const WIDTH: usize = 29;
/// Width of the corrected data in batches of international entries.
const INTERNATIONAL_WIDTH: usize = 35;
/// Longest account number of an account in the United States.
pub(crate) const ACCOUNT_NUM_CHARS: usize = 17;

/// Corrected data of an account. A part that the code does not correct is none.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Correction {
    /// Corrected data as written, without the blanks behind it.
    pub text: String,
    /// Routing number of the bank.
    pub routing_num: Option<String>,
    /// Account number.
    pub account_num: Option<String>,
    /// Code for class of account and direction, such as 37 for a pull from a savings account.
    pub transaction_code: Option<u8>,
    /// Name of the receiver.
    pub name: Option<String>,
    /// Identification number of the receiver.
    pub individual_id: Option<String>,
    /// Identification of a foreign bank.
    pub foreign_bank: Option<String>,
    /// Standard entry class.
    pub entry_class: Option<String>,
}

/// A part of corrected data.
#[derive(Clone, Copy)]
enum Part {
    RoutingNum,
    AccountNum,
    /// Account number of any bank of the world.
    ForeignAccountNum,
    TransactionCode,
    Name,
    /// Identification number, which may be blank.
    IndividualId,
    ForeignBank,
    EntryClass,
}

/// Parts with their first and last column in the corrected data, and their description for errors.
type Layout = (&'static [(Part, usize, usize)], &'static str);

/// Returns the layout of a code. Other columns are blank, unless the code has no parts.
fn layout(code: &str, is_international: bool) -> Option<Layout> {
    use Part::{AccountNum, EntryClass, ForeignAccountNum, ForeignBank};
    use Part::{IndividualId, Name, RoutingNum, TransactionCode};
    Some(match (code, is_international) {
        ("C01", false) => (&[(AccountNum, 1, 17)], "an account number"),
        ("C01", true) => (&[(ForeignAccountNum, 1, 35)], "an account number"),
        ("C02", _) => (&[(RoutingNum, 1, 9)], "a routing number"),
        ("C03", _) => (
            &[(RoutingNum, 1, 9), (AccountNum, 10, 29)],
            "a routing number, and an account number in column 13",
        ),
        ("C04", false) => (&[(Name, 1, 22)], "a name in ASCII letters"),
        ("C04", true) => (&[(Name, 1, 35)], "a name in ASCII letters"),
        ("C05", _) => (&[(TransactionCode, 1, 2)], "a transaction code"),
        ("C06", _) => (
            &[(AccountNum, 1, 17), (TransactionCode, 18, 29)],
            "an account number, and a transaction code in column 21",
        ),
        ("C07", _) => (
            &[(RoutingNum, 1, 9), (AccountNum, 10, 26), (TransactionCode, 27, 29)],
            "a routing number, an account number, and a transaction code in column 27",
        ),
        ("C08", _) => (&[(ForeignBank, 1, 34)], "the identification of a foreign bank"),
        ("C09", _) => (&[(IndividualId, 1, 22)], "an identification number, or blanks"),
        ("C13", _) => (&[], ""),
        ("C14", _) => (&[(EntryClass, 1, 3)], "\"IAT\""),
        _ => return None,
    })
}

impl Correction {
    /// Reads the corrected data of an addenda record with a code of a change.
    pub(super) fn read(record: &Record, is_international: bool) -> Result<Self, FileError> {
        let code = record.columns(4, 6);
        let is_wide = is_international || code == "C08";
        let width = if is_wide { INTERNATIONAL_WIDTH } else { WIDTH };
        let text = record.columns(FIRST, FIRST - 1 + width);
        let (parts, expected) = layout(code, is_international).unwrap_or_default();
        Self::parse(text, parts).ok_or_else(|| {
            let field = ("addenda", "corrected data");
            error(record.line, field, expected, record.columns(FIRST, LAST).trim_end())
        })
    }

    /// Parses the parts of a text that consists of ASCII letters; none unless all are valid and nothing else is there.
    fn parse(text: &str, parts: &[(Part, usize, usize)]) -> Option<Self> {
        let mut correction = Self { text: text.trim_end().to_owned(), ..Self::default() };
        let mut end = 0;
        for &(part, first, last) in parts {
            correction.set(part, text.get(first - 1..last)?.trim())?;
            end = last;
        }
        let is_whole = parts.is_empty() || text.get(end..)?.trim().is_empty();
        is_whole.then_some(correction)
    }

    fn set(&mut self, part: Part, text: &str) -> Option<()> {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let is_id = |text: &&str| !text.is_empty() && text.bytes().all(is_letter);
        let is_name = |text: &&str| !text.is_empty() && !text.contains('?');
        let is_local = |text: &&str| is_id(text) && text.len() <= ACCOUNT_NUM_CHARS;
        let field = match part {
            Part::TransactionCode => {
                self.transaction_code = Some(live_code(text)?);
                return Some(());
            }
            Part::IndividualId if text.is_empty() => return Some(()),
            Part::RoutingNum => Some(text).filter(|text| is_routing_num(text)).map(|_| &mut self.routing_num),
            Part::AccountNum => Some(text).filter(is_local).map(|_| &mut self.account_num),
            Part::ForeignAccountNum => Some(text).filter(is_id).map(|_| &mut self.account_num),
            // A letter beyond ASCII was read as a question mark, so the name is not known.
            Part::Name => Some(text).filter(is_name).map(|_| &mut self.name),
            Part::IndividualId => Some(&mut self.individual_id),
            Part::ForeignBank => Some(text).filter(|text| !text.is_empty()).map(|_| &mut self.foreign_bank),
            Part::EntryClass => Some(text).filter(|text| *text == "IAT").map(|_| &mut self.entry_class),
        }?;
        *field = Some(text.to_owned());
        Some(())
    }

    /// Sets the corrected parts in the details of a node.
    pub(crate) fn put_on(&self, details: &mut NodeDetails) {
        let class = self.account_class().map(|class| class.as_str().to_owned());
        let parts = [
            (&self.routing_num, &mut details.routing_num),
            (&self.account_num, &mut details.account_num),
            (&self.name, &mut details.name_on_account),
            (&class, &mut details.class),
        ];
        for (part, field) in parts.into_iter().filter(|(part, _)| part.is_some()) {
            field.clone_from(part);
        }
    }

    /// Returns true if the details of a node have all corrected parts.
    pub(crate) fn is_in(&self, details: &NodeDetails) -> bool {
        let mut corrected = details.clone();
        self.put_on(&mut corrected);
        corrected == *details
    }

    /// Returns true if an account of the corrected class accepts entries of this leg. A loan accepts credits only.
    pub(crate) fn accepts(&self, leg: Direction) -> bool {
        leg != Direction::Pull || self.account_class() != Some(AccountClass::Loan)
    }

    /// Returns the class of the account, from the transaction code.
    #[must_use]
    pub fn account_class(&self) -> Option<AccountClass> {
        match self.transaction_code? / 10 {
            2 => Some(AccountClass::Checking),
            3 => Some(AccountClass::Savings),
            4 => Some(AccountClass::GeneralLedger),
            5 => Some(AccountClass::Loan),
            _ => None,
        }
    }
}

/// Shows nothing, because the data is about a person.
impl fmt::Debug for Correction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Correction").finish_non_exhaustive()
    }
}

/// Parses the transaction code of a live entry or of a prenotification.
fn live_code(text: &str) -> Option<u8> {
    let code: u8 = Some(text).filter(|text| text.len() == 2 && is_digits(text))?.parse().ok()?;
    let is_live = matches!(code % 10, 2 | 3 | 4 | 7 | 8 | 9) || code == 55;
    (is_live && (2..=5).contains(&(code / 10))).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads corrected data of up to 44 columns, which is as wide as the record allows.
    fn read(code: &str, is_international: bool, data: &str) -> Result<Correction, FileError> {
        let text = format!("798{code}021000020000007      09100001{data:44}091000010000001");
        let record = super::super::lines::Records::of(&text).and_then(|mut records| records.next("addenda"));
        Correction::read(&record.expect("a record"), is_international)
    }

    /// Formats the parts of corrected data.
    fn parts(correction: &Correction) -> String {
        let texts = [
            ("routing", &correction.routing_num),
            ("account", &correction.account_num),
            ("name", &correction.name),
            ("id", &correction.individual_id),
            ("bank", &correction.foreign_bank),
            ("class", &correction.entry_class),
        ];
        let texts = texts.iter().filter_map(|(name, text)| Some(format!("{name} {}", text.as_ref()?)));
        texts
            .chain(correction.transaction_code.map(|code| format!("code {code}")))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The second spelling of C03, C06 and C07 aligns the last part to the right.
    #[test]
    fn each_code_has_its_layout() {
        let foreign = "GB29-NWBK-6016-1331-9268-19-0000-AB";
        let table = [
            ("C01", false, "000000009988", "account 000000009988"),
            ("C01", false, "12345678901234567", "account 12345678901234567"),
            ("C01", true, foreign, &format!("account {foreign}")),
            ("C02", false, "021000021", "routing 021000021"),
            ("C03", false, "987654320   00099887766", "routing 987654320, account 00099887766"),
            ("C03", false, "987654320         00099887766", "routing 987654320, account 00099887766"),
            ("C04", false, "PAT Q. EXAMPLE", "name PAT Q. EXAMPLE"),
            ("C04", true, "PAT Q. EXAMPLE OF THE LONG NAME LTD", "name PAT Q. EXAMPLE OF THE LONG NAME LTD"),
            ("C05", false, "37", "code 37"),
            ("C06", false, "98-765              32", "account 98-765, code 32"),
            ("C06", false, "98-765                     32", "account 98-765, code 32"),
            (
                "C07",
                false,
                "02100002112345678901234567 22",
                "routing 021000021, account 12345678901234567, code 22",
            ),
            ("C07", false, "02100002198-765           27", "routing 021000021, account 98-765, code 27"),
            ("C08", true, "NWBKGB2L 60 16 13", "bank NWBKGB2L 60 16 13"),
            ("C09", false, "4711", "id 4711"),
            ("C09", false, "", ""),
            ("C13", false, "any text", ""),
            ("C14", false, "IAT", "class IAT"),
        ];
        for (code, is_international, data, expected) in table {
            let found = read(code, is_international, data).unwrap_or_else(|error| panic!("{code}: {error}"));
            assert_eq!((parts(&found).as_str(), found.text.as_str()), (expected, data), "{code}");
        }
    }

    #[test]
    fn invalid_part_is_reported_whole() {
        let table = [
            ("C01", "", "an account number"),
            ("C01", "123456789012345678", "an account number"),
            ("C01", "1234 5678", "an account number"),
            ("C02", "021000022", "a routing number"),
            ("C02", "021000021 1", "a routing number"),
            ("C03", "021000021", "a routing number, and an account number in column 13"),
            ("C03", "021000021123456789012345678", "a routing number, and an account number in column 13"),
            ("C04", "", "a name in ASCII letters"),
            ("C04", "ZO? EXAMPLE", "a name in ASCII letters"),
            ("C05", "26", "a transaction code"),
            ("C05", "2", "a transaction code"),
            ("C05", "62", "a transaction code"),
            ("C06", "98-765", "an account number, and a transaction code in column 21"),
            ("C08", "", "the identification of a foreign bank"),
            ("C14", "PPD", "\"IAT\""),
        ];
        for (code, data, expected) in table {
            let field = ("addenda", "corrected data");
            assert_eq!(read(code, false, data), Err(error(1, field, expected, data)), "{code} {data}");
        }
    }

    #[test]
    fn transaction_code_names_account_class() {
        let class = |code: &str| read("C05", false, code).ok().and_then(|found| found.account_class());
        let found = ["22", "28", "37", "42", "55", "45", "12"].map(class);
        let expected = [
            Some(AccountClass::Checking),
            Some(AccountClass::Checking),
            Some(AccountClass::Savings),
            Some(AccountClass::GeneralLedger),
            Some(AccountClass::Loan),
            None,
            None,
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn correction_changes_only_its_parts() {
        let text = |text: &str| Some(text.to_owned());
        let before = NodeDetails {
            nickname: "Mine".into(),
            account_num: text("1"),
            routing_num: text("021000021"),
            class: text("CHECKING"),
            name_on_account: text("Ann"),
            ..NodeDetails::default()
        };
        let (account, routing) = (text("9988"), text("051000017"));
        let (savings, name) = (text("SAVINGS"), text("PAT"));
        let table = [
            ("C01", "9988", NodeDetails { account_num: account.clone(), ..before.clone() }),
            ("C02", "051000017", NodeDetails { routing_num: routing.clone(), ..before.clone() }),
            (
                "C03",
                "051000017   9988",
                NodeDetails { account_num: account.clone(), routing_num: routing.clone(), ..before.clone() },
            ),
            ("C04", "PAT", NodeDetails { name_on_account: name, ..before.clone() }),
            ("C05", "37", NodeDetails { class: savings.clone(), ..before.clone() }),
            (
                "C06",
                "9988                32",
                NodeDetails { account_num: account.clone(), class: savings.clone(), ..before.clone() },
            ),
            (
                "C07",
                "0510000179988             37",
                NodeDetails { account_num: account, routing_num: routing, class: savings, ..before.clone() },
            ),
            ("C09", "4711", before.clone()),
        ];
        for (code, data, expected) in table {
            let correction = read(code, false, data).unwrap_or_else(|error| panic!("{code}: {error}"));
            let mut details = before.clone();
            assert_eq!(correction.is_in(&details), details == expected, "{code}");
            correction.put_on(&mut details);
            assert!(details == expected && correction.is_in(&details), "{code}");
        }
    }

    #[test]
    fn loan_accepts_no_pulls() {
        let table = [("55", false), ("52", false), ("47", true), ("37", true)];
        for (class, expected) in table {
            let correction = read("C05", false, class).expect("a class");
            assert_eq!(correction.accepts(Direction::Pull), expected, "{class}");
            assert!(correction.accepts(Direction::Push), "{class}");
        }
    }

    #[test]
    fn debug_text_has_no_data() {
        let found = read("C04", false, "PAT EXAMPLE").expect("a name");
        assert_eq!(format!("{found:?}"), "Correction { .. }");
    }
}
