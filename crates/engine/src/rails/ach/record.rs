//! Header and control records around the entries, and their totals.

use std::collections::BTreeMap;

use daybook_domain::Timestamp;
use daybook_domain::calendar::Day;

use super::class::{EntryClass, Purpose};
use crate::rails::file::{Originator, OutgoingEntry, Unfit};
use crate::rails::text::{column, plain};

/// Characters per record.
pub(super) const RECORD_CHARS: usize = 94;
/// Records per block.
pub(super) const RECORDS_PER_BLOCK: usize = 10;
/// Field name for errors: the sum of all debits of a file.
pub const TOTAL_OF_DEBITS: &str = "total of debits";
/// Field name for errors: the sum of all credits of a file.
pub const TOTAL_OF_CREDITS: &str = "total of credits";
/// Digits of a batch's number of entries and addenda.
const COUNT_DIGITS: usize = 6;
/// Digits of a total.
const TOTAL_DIGITS: usize = 12;
/// Modulus of the hash, which has ten digits. Higher digits are dropped.
const HASH_MODULUS: u64 = 10_000_000_000;

/// Totals in the control record of a batch or a file.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Totals {
    /// Number of entries and addenda.
    pub(super) records: u64,
    /// Sum of the first eight digits of the routing numbers.
    pub(super) hash: u64,
    /// Sum of debits in minor units.
    pub(super) debit: u64,
    /// Sum of credits in minor units.
    pub(super) credit: u64,
}

impl Totals {
    /// Adds other totals.
    pub(super) fn add(&mut self, other: Self) {
        self.records = self.records.saturating_add(other.records);
        self.hash = self.hash.saturating_add(other.hash) % HASH_MODULUS;
        self.debit = self.debit.saturating_add(other.debit);
        self.credit = self.credit.saturating_add(other.credit);
    }

    /// Returns the totals with those of another entry added.
    ///
    /// # Errors
    ///
    /// [`Unfit`] if a total has too many digits.
    pub(super) fn with(self, entry: Self) -> Result<Self, Unfit> {
        let mut totals = self;
        totals.add(entry);
        number(totals.records, COUNT_DIGITS, "number of entries")?;
        number(totals.debit, TOTAL_DIGITS, TOTAL_OF_DEBITS)?;
        number(totals.credit, TOTAL_DIGITS, TOTAL_OF_CREDITS)?;
        Ok(totals)
    }
}

/// Header data of a file: sender and receiver, each with an id of ten characters and a name.
pub(super) struct Header<'a> {
    pub(super) from: (String, &'a str),
    pub(super) to: (String, &'a str),
    pub(super) made_at: Timestamp,
    pub(super) of_day: u8,
    pub(super) reference: String,
    pub(super) effective: Day,
}

/// Formats a number with `width` digits.
pub(super) fn number(value: u64, width: usize, field: &'static str) -> Result<String, Unfit> {
    let digits = format!("{value:0width$}");
    if digits.len() == width { Ok(digits) } else { Err(Unfit::file(field)) }
}

/// Formats a mandatory text in `width` columns.
pub(super) fn mandatory(text: &str, width: usize, field: &'static str) -> Result<String, Unfit> {
    if plain(text).is_empty() { Err(Unfit::file(field)) } else { Ok(column(text, width)) }
}

/// Checks an id that must be neither cut nor changed: letters, digits and dashes, at most `width` of them.
pub(super) fn id<'a>(text: &'a str, width: usize, field: &'static str) -> Result<&'a str, Unfit> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let fits = (1..=width).contains(&text.len()) && text.bytes().all(is_letter);
    fits.then_some(text).ok_or(Unfit::file(field))
}

/// Entries of one class with one description.
#[derive(Default)]
struct Batch {
    records: Vec<String>,
    totals: Totals,
}

/// Batches by class and description, in the order of the file, and the totals of all.
#[derive(Default)]
pub(super) struct Batches {
    all: BTreeMap<(EntryClass, Purpose), Batch>,
    totals: Totals,
}

impl Batches {
    /// Adds the `records` of `entry` to its batch, and `counted` to the totals.
    ///
    /// # Errors
    ///
    /// [`Unfit`] if a total has too many digits.
    pub(super) fn add(
        &mut self,
        entry: &OutgoingEntry,
        records: impl IntoIterator<Item = String>,
        counted: Totals,
    ) -> Result<(), Unfit> {
        self.totals = self.totals.with(counted)?;
        let batch = self.all.entry((entry.class, entry.purpose)).or_default();
        batch.records.extend(records);
        batch.totals.add(counted);
        Ok(())
    }
}

/// Encloses the batches, if any, in file header and file control, and fills the last block.
pub(super) fn enclose(
    header: &Header<'_>,
    originator: &Originator,
    Batches { all: batches, totals }: &Batches,
) -> Result<String, Unfit> {
    let mut records = vec![file_header(header)?];
    for (((class, purpose), batch), number) in batches.iter().zip(1..) {
        let said = (class.code(), purpose.description(originator));
        records.extend(enclose_batch(said, number, header, originator, batch)?);
    }
    let blocks = (records.len() + 1).div_ceil(RECORDS_PER_BLOCK);
    let count = number(totals.records, 8, "number of entries")?;
    records.push(format!("9{:06}{blocks:06}{count}{}{:39}", batches.len(), sums(*totals)?, ""));
    records.resize(blocks * RECORDS_PER_BLOCK, "9".repeat(RECORD_CHARS));
    Ok(records.join("\n") + "\n")
}

/// Encloses a batch in its header and control.
fn enclose_batch(
    (class, description): (&str, &str),
    batch: u64,
    header: &Header<'_>,
    originator: &Originator,
    Batch { records: entries, totals }: &Batch,
) -> Result<Vec<String>, Unfit> {
    let service = match (totals.debit, totals.credit) {
        (0, _) => 220,
        (_, 0) => 225,
        _ => 200,
    };
    let company_id = id(&originator.company_id, 10, "originator.company_id")?;
    let bank = originator.bank()?;
    let mut records = vec![format!(
        "5{service}{}{:20}{company_id:<10}{class}{}{:6}{}{:3}1{bank}{batch:07}",
        mandatory(&originator.company_name, 16, "originator.company_name")?,
        "",
        mandatory(description, 10, "originator.description")?,
        "",
        date(header.effective),
        "",
    )];
    records.extend_from_slice(entries);
    let count = number(totals.records, COUNT_DIGITS, "number of entries")?;
    let sums = sums(*totals)?;
    records.push(format!("8{service}{count}{sums}{company_id:<10}{:25}{bank}{batch:07}", ""));
    Ok(records)
}

/// Formats hash, debits and credits, which are adjacent in control records.
fn sums(totals: Totals) -> Result<String, Unfit> {
    let (debit, credit) = (
        number(totals.debit, TOTAL_DIGITS, TOTAL_OF_DEBITS)?,
        number(totals.credit, TOTAL_DIGITS, TOTAL_OF_CREDITS)?,
    );
    Ok(format!("{:010}{debit}{credit}", totals.hash))
}

fn file_header(header: &Header<'_>) -> Result<String, Unfit> {
    let made_at = header.made_at.datetime();
    let modifiers = ('A'..='Z').chain('0'..='9');
    Ok(format!(
        "101{}{}{}{:02}{:02}{}094101{}{}{}",
        header.to.0,
        header.from.0,
        date(made_at.date().into()),
        made_at.hour(),
        made_at.minute(),
        modifiers.into_iter().nth(header.of_day.into()).ok_or(Unfit::file("of_day"))?,
        column(header.to.1, 23),
        column(header.from.1, 23),
        column(&header.reference, 8),
    ))
}

/// Formats a date as two digits each of year, month and day.
pub(super) fn date(day: Day) -> String {
    let date = day.date();
    format!("{:02}{:02}{:02}", date.year().rem_euclid(100), date.month(), date.day())
}
