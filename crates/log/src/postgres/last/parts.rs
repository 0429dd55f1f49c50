//! Parts of a tree of last entries: their bytes, and a tree under construction that is cut into parts.

use daybook_proof::Hash;
use daybook_proof::last::{ENTRIES_PER_PART, LastEntries, LastEntry};
use uuid::Uuid;

use super::super::rows::bigint;
use crate::Error;

/// Bytes of an entry: account, position, leaf hash.
const ENTRY_BYTES: usize = 56;

/// Decodes the entries of a part. Surplus bytes at the end are ignored.
pub(super) fn decode(bytes: &[u8]) -> Vec<LastEntry> {
    let (entries, _) = bytes.as_chunks::<ENTRY_BYTES>();
    entries.iter().filter_map(entry).collect()
}

fn entry(bytes: &[u8; ENTRY_BYTES]) -> Option<LastEntry> {
    let (account, rest) = bytes.split_first_chunk()?;
    let (position, leaf_hash) = rest.split_first_chunk()?;
    let position = u64::from_be_bytes(*position);
    Some(LastEntry { account: *account, position, leaf_hash: leaf_hash.try_into().ok()? })
}

fn encode(entries: &[LastEntry]) -> Vec<u8> {
    let bytes = |entry: &LastEntry| {
        [entry.account.as_slice(), &entry.position.to_be_bytes(), &entry.leaf_hash].concat()
    };
    entries.iter().flat_map(bytes).collect()
}

/// A tree under construction. Entries are added in order of their accounts.
#[derive(Default)]
pub(super) struct PartWriter {
    /// Part that is not full yet.
    open: Vec<LastEntry>,
    /// Roots of all parts before it.
    roots: Vec<Hash>,
    accounts: u64,
    /// Parts that are not stored yet, column by column.
    pub(super) ready: FinishedPart,
}

/// Columns of parts, as they are stored.
#[derive(Default)]
pub(super) struct FinishedPart {
    pub(super) firsts: Vec<Uuid>,
    pub(super) numbers: Vec<i64>,
    pub(super) entries: Vec<Vec<u8>>,
}

impl PartWriter {
    pub(super) fn push(&mut self, entry: LastEntry) -> Result<(), Error> {
        self.open.push(entry);
        self.accounts += 1;
        if self.open.len() == ENTRIES_PER_PART { self.close() } else { Ok(()) }
    }

    /// Returns the number of accounts and the roots of all parts.
    pub(super) fn finish(&mut self) -> Result<(u64, Vec<Hash>), Error> {
        self.close()?;
        Ok((self.accounts, std::mem::take(&mut self.roots)))
    }

    fn close(&mut self) -> Result<(), Error> {
        let open = std::mem::take(&mut self.open);
        let Some(first) = open.first() else { return Ok(()) };
        self.ready.firsts.push(Uuid::from_bytes(first.account));
        self.ready.numbers.push(bigint(self.roots.len() as u64));
        self.ready.entries.push(encode(&open));
        let part = LastEntries::new(open).map_err(|error| Error::Refused(Box::new(error)))?;
        self.roots.push(part.head().root);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_read_back_from_their_bytes() {
        let entry = |number: u8| LastEntry {
            account: [number; 16],
            position: u64::from(number) << 40,
            leaf_hash: [number; 32],
        };
        let entries = [entry(1), entry(2)];
        assert_eq!(decode(&encode(&entries)), entries);
        assert_eq!(decode(&[0; ENTRY_BYTES - 1]), []);
    }
}
