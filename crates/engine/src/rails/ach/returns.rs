//! Reading what a bank sends back. A file is believed as a whole or not at all.

use daybook_domain::calendar::ReturnCode;

use super::record::{BLOCK, Totals, WIDTH};
use crate::rails::file::{FileError, is_digits, is_routing_num};

/// An entry of ours that came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// The trace that we gave it: fifteen digits.
    pub trace: String,
    /// Why.
    pub code: ReturnCode,
    /// Minor units; zero or above.
    pub amount_minor: i64,
}

/// The entries of ours that a file of the bank sends back, in order.
///
/// A notification of change (addenda type 98) is checked and counted, and is no return. Lines end with or without a
/// carriage return.
///
/// # Errors
///
/// [`FileError`] at the first record that is not what must stand there, or a control record whose numbers are not
/// those of the records before it.
pub fn parse_returns(text: &str) -> Result<Vec<Returned>, FileError> {
    let mut records = Records { lines: text.lines().collect(), next: 0 };
    let header = records.next()?;
    header.expect(1, 3, "101", "no file header")?;
    header.expect(35, 40, "094101", "the records are of another size")?;
    let (mut returned, mut totals, mut batches) = (Vec::new(), Totals::default(), 0);
    let control = loop {
        let record = records.next()?;
        match record.kind() {
            "5" => totals.add(read_batch(&mut records, &record, &mut returned)?),
            "9" => break record,
            _ => return Err(record.error("neither a batch header nor a file control")),
        }
        batches += 1;
    };
    let blocks = records.lines.len() / BLOCK;
    control.count(2, 7, batches, "number of batches is not that of the file")?;
    control.count(
        8,
        13,
        u64::try_from(blocks).unwrap_or(u64::MAX),
        "number of blocks is not that of the file",
    )?;
    control.count(14, 21, totals.records, "number of entries is not that of the file")?;
    control.totals(22, totals)?;
    control.expect(56, 94, &" ".repeat(39), "the reserved columns are not blank")?;
    if !records.lines.len().is_multiple_of(BLOCK) {
        return Err(control.error("the last block is not full"));
    }
    while records.next < records.lines.len() {
        records.next()?.expect(1, WIDTH, &"9".repeat(WIDTH), "a record after the file control")?;
    }
    Ok(returned)
}

/// Reads what stands between a batch header and its control, both included.
fn read_batch(
    records: &mut Records<'_>,
    header: &Record<'_>,
    returned: &mut Vec<Returned>,
) -> Result<Totals, FileError> {
    if !["200", "220", "225"].contains(&header.columns(2, 4)) {
        return Err(header.error("unknown service class"));
    }
    let mut totals = Totals::default();
    loop {
        let record = records.next()?;
        match record.kind() {
            "6" => {
                let (entry, found) = read_entry(&record, &records.next()?)?;
                totals.add(entry);
                returned.extend(found);
            }
            "8" => {
                record.expect(2, 4, header.columns(2, 4), "service class is not that of the batch header")?;
                record.count(5, 10, totals.records, "number of entries is not that of the batch")?;
                record.totals(11, totals)?;
                record.expect(45, 54, header.columns(41, 50), "company is not that of the batch header")?;
                record.expect(
                    80,
                    94,
                    header.columns(80, 94),
                    "bank or number is not that of the batch header",
                )?;
                return Ok(totals);
            }
            _ => return Err(record.error("neither an entry nor a batch control")),
        }
    }
}

/// Reads an entry with its addenda record: what both add to the totals, and what came back.
fn read_entry(entry: &Record<'_>, addenda: &Record<'_>) -> Result<(Totals, Option<Returned>), FileError> {
    let amount = entry.number(30, 39, "amount is not a number")?;
    let (debit, credit) = match entry.columns(2, 3) {
        "21" | "31" | "41" | "51" => (0, amount),
        "26" | "36" | "46" | "56" => (amount, 0),
        _ => return Err(entry.error("not the transaction code of a return")),
    };
    if !is_routing_num(entry.columns(4, 12)) {
        return Err(entry.error("not a routing number"));
    }
    let hash = entry.number(4, 11, "not a routing number")?;
    entry.expect(79, 79, "1", "an entry without an addenda record")?;
    let trace = entry.columns(80, 94);
    entry.digits(80, 94, "trace is not a number")?;
    addenda.expect(1, 1, "7", "not an addenda record")?;
    addenda.expect(80, 94, trace, "trace is not that of the entry")?;
    let totals = Totals { records: 2, hash, debit, credit };
    let code = match addenda.columns(2, 3) {
        "98" => return Ok((totals, None)),
        "99" => addenda.columns(4, 6).parse().map_err(|_| addenda.error("unknown return reason code"))?,
        _ => return Err(addenda.error("neither a return nor a notification of change")),
    };
    addenda.digits(7, 21, "trace of the original entry is not a number")?;
    if addenda.columns(22, 27) != "      " {
        addenda.digits(22, 27, "date of death is not a date")?;
    }
    addenda.digits(28, 35, "bank of the original entry is not a number")?;
    let amount_minor = i64::try_from(amount).map_err(|_| entry.error("amount is not a number"))?;
    Ok((totals, Some(Returned { trace: addenda.columns(7, 21).to_owned(), code, amount_minor })))
}

/// The records of a file, one after the other.
struct Records<'a> {
    lines: Vec<&'a str>,
    next: usize,
}

impl<'a> Records<'a> {
    fn next(&mut self) -> Result<Record<'a>, FileError> {
        let line = self.next + 1;
        let text = self.lines.get(self.next).ok_or(FileError { line, text: "the file ends early" })?;
        self.next = line;
        let record = Record { line, text };
        let is_plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if text.len() == WIDTH && is_plain {
            Ok(record)
        } else {
            Err(record.error("a record has 94 characters of printable ASCII"))
        }
    }
}

/// A record; columns are counted from 1 on and are inclusive, as the rules name them.
struct Record<'a> {
    line: usize,
    text: &'a str,
}

impl<'a> Record<'a> {
    fn kind(&self) -> &'a str {
        self.columns(1, 1)
    }

    fn columns(&self, first: usize, last: usize) -> &'a str {
        self.text.get(first - 1..last).unwrap_or_default()
    }

    fn error(&self, text: &'static str) -> FileError {
        FileError { line: self.line, text }
    }

    fn expect(&self, first: usize, last: usize, text: &str, error: &'static str) -> Result<(), FileError> {
        if self.columns(first, last) == text { Ok(()) } else { Err(self.error(error)) }
    }

    fn digits(&self, first: usize, last: usize, error: &'static str) -> Result<(), FileError> {
        if is_digits(self.columns(first, last)) { Ok(()) } else { Err(self.error(error)) }
    }

    fn number(&self, first: usize, last: usize, error: &'static str) -> Result<u64, FileError> {
        self.digits(first, last, error)?;
        self.columns(first, last).parse().map_err(|_| self.error(error))
    }

    fn count(&self, first: usize, last: usize, count: u64, error: &'static str) -> Result<(), FileError> {
        if self.number(first, last, error)? == count { Ok(()) } else { Err(self.error(error)) }
    }

    /// Hash, debits and credits, which stand side by side.
    fn totals(&self, first: usize, totals: Totals) -> Result<(), FileError> {
        self.count(first, first + 9, totals.hash, "hash is not that of the routing numbers")?;
        self.count(first + 10, first + 21, totals.debit, "total of debits is not that of the entries")?;
        self.count(first + 22, first + 33, totals.credit, "total of credits is not that of the entries")
    }
}
