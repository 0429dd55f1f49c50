//! Headers: records 01 of the file and 02 of a group.
//!
//! Source: BAI2 2005, records 01 and 02.

use daybook_domain::Currency;
use daybook_domain::calendar::Day;

use super::record::Record;
use super::records::Records;
use crate::{Fault, Standing};

/// As-of modifier of final data of the day before.
pub(super) const FINAL: &str = "2";

/// As-of modifier of interim data of the same day.
pub(super) const INTERIM: &str = "3";

/// True for an as-of modifier of interim data, of which balances and lines may be incomplete.
pub(super) fn is_interim(modifier: &str) -> bool {
    matches!(modifier, "1" | "3")
}

/// Checks record 01.
pub(super) fn file(mut record: Record<'_, '_>) -> Result<(), Fault> {
    record.required("sender")?;
    record.required("receiver")?;
    record.required("file creation date")?.day()?;
    record.required("file creation time")?.time()?;
    record.required("file identification number")?;
    for name in ["physical record length", "block size"] {
        if let Some(size) = record.optional(name)? {
            size.number()?;
        }
    }
    let version = record.required("version number")?;
    if version.value != b"2" {
        return Err(version.differs("only version 2 is read", 2));
    }
    record.end().map(|_| ())
}

/// Header of a group.
pub(super) struct Group {
    /// Group status: `1` update, `2` deletion, `3` correction, `4` test.
    pub(super) status: String,
    /// As-of modifier: `1` and `3` interim, `2` and `4` final.
    pub(super) modifier: Option<String>,
    /// The day on which the bank booked the lines.
    pub(super) as_of: Day,
    /// Currency of accounts that state none.
    pub(super) currency: Currency,
}

impl Group {
    /// Reads record 02. Returns the records that follow as well.
    pub(super) fn read<'a, 'r>(mut record: Record<'a, 'r>) -> Result<(Self, &'r mut Records<'a>), Fault> {
        record.optional("ultimate receiver")?;
        record.required("originator")?;
        let status = record.required("group status")?.digit("1234")?.to_owned();
        let as_of = record.required("as-of date")?.day()?;
        if let Some(time) = record.optional("as-of time")? {
            time.time()?;
        }
        let currency =
            record.optional("currency code")?.map_or(Ok(Currency::USD), |field| field.currency())?;
        let modifier = record.optional("as-of date modifier")?;
        let modifier = modifier.map(|field| field.digit("1234")).transpose()?.map(str::to_owned);
        Ok((Self { status, modifier, as_of, currency }, record.end()?))
    }

    /// Meaning of the group's statements. A test is one whatever it tests, and what is interim restates nothing.
    pub(super) fn standing(&self) -> Standing {
        match (&*self.status, self.is_final()) {
            ("4", _) => Standing::Test,
            (_, false) => Standing::Pending,
            ("2" | "3", true) => Standing::Restated,
            (_, true) => Standing::Booked,
        }
    }

    /// True if balances and lines are complete. A group that does not say so must show it: its balances are checked.
    pub(super) fn is_final(&self) -> bool {
        !self.modifier.as_deref().is_some_and(is_interim)
    }

    /// True if the group only deletes what was reported before. It may state nothing but accounts.
    pub(super) fn is_deletion(&self) -> bool {
        self.status == "2"
    }
}
