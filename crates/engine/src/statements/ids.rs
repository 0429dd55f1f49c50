//! Ids that follow from a file: the same file leads to the same statements and parts, in every process and at every
//! repetition.

use daybook_domain::calendar::Day;
use daybook_domain::{AttachmentId, Currency, CustodyId, StatementId};
use sha2::{Digest, Sha256};

/// SHA-256 of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileHash([u8; 32]);

impl FileHash {
    /// Hashes a file.
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Hexadecimal digits.
    pub(super) fn hex(self) -> String {
        hex::encode(self.0)
    }

    /// Id of the statement of a day in this file.
    pub(super) fn statement(self, custody: CustodyId, currency: Currency, day: Day) -> StatementId {
        let of = custody.as_u128().to_be_bytes();
        let day = day.number().to_be_bytes();
        StatementId::from_u128(derived(&[b"statement", &self.0, &of, currency.code().as_bytes(), &day]))
    }

    /// Id of the statement in this file that replaces the statement `old` of its day.
    pub(super) fn restatement(self, old: StatementId) -> StatementId {
        let old = old.as_u128().to_be_bytes();
        StatementId::from_u128(derived(&[b"restatement", &self.0, &old]))
    }

    /// Id of a part of the file itself. Parts count from 0.
    pub(super) fn part(self, custody: CustodyId, number: u32) -> AttachmentId {
        let of = custody.as_u128().to_be_bytes();
        AttachmentId::from_u128(derived(&[b"part", &self.0, &of, &number.to_be_bytes()]))
    }
}

/// Id of a page of a statement's lines. Pages count from 0.
pub(super) fn page(statement: StatementId, number: u32) -> AttachmentId {
    let of = statement.as_u128().to_be_bytes();
    AttachmentId::from_u128(derived(&[b"lines", &of, &number.to_be_bytes()]))
}

/// First 128 bits of a hash of the parts, each with its length before it.
fn derived(parts: &[&[u8]]) -> u128 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let [hash, _] = *hash.finalize().as_chunks::<16>().0 else { return 0 };
    u128::from_be_bytes(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_by_file_day_and_number() {
        let (one, other) = (FileHash::of(b"one"), FileHash::of(b"other"));
        let custody = CustodyId::from_u128(7);
        let day = Day::default();
        let ids = [
            one.statement(custody, Currency::USD, day).as_u128(),
            other.statement(custody, Currency::USD, day).as_u128(),
            one.statement(CustodyId::from_u128(8), Currency::USD, day).as_u128(),
            one.statement(custody, Currency::USD, day.plus_days(1)).as_u128(),
            one.restatement(one.statement(custody, Currency::USD, day)).as_u128(),
            other.restatement(one.statement(custody, Currency::USD, day)).as_u128(),
            one.part(custody, 0).as_u128(),
            one.part(custody, 1).as_u128(),
            page(one.statement(custody, Currency::USD, day), 0).as_u128(),
            page(one.statement(custody, Currency::USD, day), 1).as_u128(),
        ];
        let distinct: std::collections::BTreeSet<_> = ids.into_iter().collect();
        assert_eq!(distinct.len(), ids.len());
        assert_eq!(one.part(custody, 1), FileHash::of(b"one").part(custody, 1));
    }
}
