//! The physical records of a file, taken one by one.
//!
//! Nothing is collected: the next record is found when the one before it is taken.

use super::physical::{Physical, Pieces};
use super::record::Record;
use crate::Fault;

/// The physical records of a file in their order.
pub(super) struct Records<'a> {
    pieces: Pieces<'a>,
    next: Option<Result<Physical<'a>, Fault>>,
    /// Line of the record that was taken last.
    line: usize,
    /// Number of records that were taken.
    pub(super) taken: usize,
}

impl<'a> Records<'a> {
    /// Begins at the first record of a file.
    pub(super) fn open(bytes: &'a [u8]) -> Self {
        let mut pieces = Pieces::new(bytes);
        let line = pieces.line;
        let next = pieces.physical();
        Self { pieces, next, line, taken: 0 }
    }

    /// Takes the next record, which must have one of the codes. At the end of the file, `missing` says the reason.
    pub(super) fn logical<'r>(&'r mut self, codes: &[&str], missing: &str) -> Result<Record<'a, 'r>, Fault> {
        let Some(head) = self.take()? else {
            let end = (self.line, self.pieces.bytes.len());
            return Err(Fault::new(end, ("end of file", "record code"), missing).expected(codes.join(" or ")));
        };
        if codes.contains(&head.code) {
            return Ok(Record::new(self, head));
        }
        let fault = Fault::new(head.place, (head.code, "record code"), "another record must come here");
        Err(fault.expected(codes.join(" or ")).found(head.code))
    }

    /// Checks that nothing follows the file's trailer.
    pub(super) fn ended(&mut self) -> Result<(), Fault> {
        let Some(head) = self.take()? else { return Ok(()) };
        let fault = Fault::new(head.place, (head.code, "record code"), "a record follows the file's trailer");
        Err(fault.expected("end of file").found(head.code))
    }

    /// Takes the next record if it continues the one before.
    pub(super) fn continuation(&mut self) -> Result<Option<Physical<'a>>, Fault> {
        let is_continuation = matches!(&self.next, Some(Ok(next)) if next.code == "88");
        if is_continuation { self.take() } else { Ok(None) }
    }

    fn take(&mut self) -> Result<Option<Physical<'a>>, Fault> {
        let Some(next) = self.next.take().transpose()? else { return Ok(None) };
        self.next = self.pieces.physical();
        self.taken += 1;
        self.line = next.place.0;
        Ok(Some(next))
    }
}
