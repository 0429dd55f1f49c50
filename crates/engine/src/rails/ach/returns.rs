//! Parsing of return files. A file is accepted as a whole or not at all: its records must be in order, and its counts,
//! hashes and totals must match the entries. The content of each entry is checked separately
//! (`crates/engine/src/rails/ach/content.rs`), so that an unreadable entry does not block the others.

use super::content::{Entry, entry};
use super::lines::{Record, Records};
use super::record::{RECORDS_PER_BLOCK, Totals};
use crate::rails::file::{EntryDirection, FileError};
use crate::rails::incoming::error;

const FILE: &str = "file header";
const BATCH: &str = "batch header";
const ENTRY: &str = "entry";
const BATCH_CONTROL: &str = "batch control";
const FILE_CONTROL: &str = "file control";

/// A return file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnFile {
    /// Entries, in the order of the file.
    pub entries: Vec<Entry>,
    /// Totals of the file control, which match the entries.
    pub totals: FileTotals,
}

/// Totals of the file control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileTotals {
    /// Sum of debits in minor units.
    pub debit_minor: u64,
    /// Sum of credits in minor units.
    pub credit_minor: u64,
    /// Number of entries and addenda.
    pub entries_and_addenda: u64,
    /// Number of batches.
    pub batches: u64,
}

/// Parses a return file into its entries, in order.
///
/// # Errors
///
/// Same as [`ReturnFile::parse`].
pub fn parse_returns(text: &str) -> Result<Vec<Entry>, FileError> {
    ReturnFile::parse(text).map(|file| file.entries)
}

impl ReturnFile {
    /// Parses a return file.
    ///
    /// Any line ending is accepted, and none at all. The fill records of the last block may be missing, and so may blanks
    /// at the end of a record.
    ///
    /// # Errors
    ///
    /// [`FileError`] at the first record that is out of order, or at a control record whose totals do not match the records
    /// before it.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        let mut records = Records::of(text)?;
        let header = records.next(FILE)?;
        header.expect(1, 3, "101", (FILE, "record type and priority"))?;
        header.expect(35, 40, "094101", (FILE, "size of the records"))?;
        let (mut entries, mut totals, mut batches) = (Vec::new(), Totals::default(), 0);
        let control = loop {
            let record = records.next(FILE_CONTROL)?;
            match record.kind() {
                "5" => totals.add(read_batch(&mut records, &record, &mut entries)?),
                "9" => break record,
                found => {
                    let field = ("record", "record type");
                    return Err(error(
                        record.line,
                        field,
                        "\"5\", a batch header, or \"9\", the file control",
                        found,
                    ));
                }
            }
            batches += 1;
        };
        let blocks = u64::try_from(records.read().div_ceil(RECORDS_PER_BLOCK)).unwrap_or(u64::MAX);
        control.count(2, 7, batches, (FILE_CONTROL, "number of batches"))?;
        control.count(8, 13, blocks, (FILE_CONTROL, "number of blocks"))?;
        control.count(14, 21, totals.records, (FILE_CONTROL, "number of entries and addenda"))?;
        control.totals(22, totals, FILE_CONTROL)?;
        match records.rest().iter().find(|record| !record.is_filler()) {
            Some(more) => {
                let expected = "nothing, or a record of nines, behind the file control";
                Err(error(more.line, ("record", "record"), expected, more.columns(1, 94)))
            }
            None => Ok(Self { entries, totals: FileTotals::of(totals, batches) }),
        }
    }
}

impl FileTotals {
    const fn of(totals: Totals, batches: u64) -> Self {
        let Totals { records, debit, credit, .. } = totals;
        Self { debit_minor: debit, credit_minor: credit, entries_and_addenda: records, batches }
    }
}

/// Reads a batch, from its header to its control.
fn read_batch(records: &mut Records, header: &Record, entries: &mut Vec<Entry>) -> Result<Totals, FileError> {
    let is_class = |class: &str| ["200", "220", "225"].contains(&class);
    let class = header.such((2, 4), (BATCH, "service class"), "\"200\", \"220\" or \"225\"", is_class)?;
    let is_international = header.columns(51, 53) == "IAT" || header.columns(5, 10) == "IATCOR";
    let mut totals = Totals::default();
    loop {
        let record = records.next(BATCH_CONTROL)?;
        match record.kind() {
            "6" => {
                let (sums, direction, addenda) = read_entry(records, &record)?;
                totals.add(sums);
                entries.push(entry(&record, &addenda, (sums, direction), is_international));
            }
            "8" => {
                record.expect(2, 4, class, (BATCH_CONTROL, "service class"))?;
                record.count(5, 10, totals.records, (BATCH_CONTROL, "number of entries and addenda"))?;
                record.totals(11, totals, BATCH_CONTROL)?;
                record.expect(45, 54, header.columns(41, 50), (BATCH_CONTROL, "company identification"))?;
                record.expect(80, 87, header.columns(80, 87), (BATCH_CONTROL, "originating bank"))?;
                record.expect(88, 94, header.columns(88, 94), (BATCH_CONTROL, "batch number"))?;
                return Ok(totals);
            }
            found => {
                let expected = "\"6\", an entry, or \"8\", the batch control";
                return Err(error(record.line, ("record", "record type"), expected, found));
            }
        }
    }
}

/// Reads the addenda of an entry. Returns the totals of the entry with them, and the direction of the entry.
fn read_entry(
    records: &mut Records,
    entry: &Record,
) -> Result<(Totals, EntryDirection, Vec<Record>), FileError> {
    let addenda: Vec<Record> = std::iter::from_fn(|| records.next_of("7")).collect();
    let amount = entry.number(30, 39, (ENTRY, "amount"))?;
    let hash = entry.number(4, 11, (ENTRY, "routing number"))?;
    // Of each account type, the codes ending in 0 to 4 are credits and 5 to 9 are debits.
    let is_credit = entry.number(2, 3, (ENTRY, "transaction code"))? % 10 < 5;
    let (direction, debit, credit) =
        if is_credit { (EntryDirection::Push, 0, amount) } else { (EntryDirection::Pull, amount, 0) };
    let records = 1 + u64::try_from(addenda.len()).unwrap_or(u64::MAX - 1);
    Ok((Totals { records, hash, debit, credit }, direction, addenda))
}
