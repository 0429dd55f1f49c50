//! Leaves: the bytes of an event in the tree, from all stored columns.
//!
//! The box (sealed personal data) is represented by its hash, so crypto-shredding leaves every proof valid. The data
//! are represented by their hash as well, which keeps leaves small. The number of the commit is not a column of an
//! event; the signed root of the commit covers it.

use alloc::vec::Vec;

use sha2::{Digest as _, Sha256};

use crate::tree::{Hash, leaf_hash};

/// An id of 128 bits, big-endian.
pub type Id = [u8; 16];

/// Prefix of the bytes of every leaf.
pub const PREFIX: &[u8; 16] = b"daybook-leaf-v1\n";

/// Maximum length of a leaf in bytes.
pub const MAX_LENGTH: usize = 228;

/// Stored columns of a row of `event`. `None` is null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf<'a> {
    /// Number of the shard.
    pub shard: i16,
    /// Position in the shard's log: 1, 2, 3, …; the leaf's index in the tree is one less.
    pub position: u64,
    /// Id of the event.
    pub event_id: Id,
    /// Id of the aggregate.
    pub stream: Id,
    /// Kind of the aggregate.
    pub stream_kind: i16,
    /// Version: place in the stream.
    pub version: i32,
    /// Type of the event.
    pub event_type: i16,
    /// Version of the type's schema.
    pub schema_version: i16,
    /// Time of recording, in microseconds since the Unix epoch.
    pub recorded_at_us: i64,
    /// Effective time, in microseconds since the Unix epoch, if it differs from the time of recording.
    pub effective_at_us: Option<i64>,
    /// User that requested the change.
    pub actor: Option<Id>,
    /// Id of the command that caused the event.
    pub cause_id: Option<Id>,
    /// Id that groups related events.
    pub correlation_id: Option<Id>,
    /// Platform that the event belongs to.
    pub platform: Id,
    /// JSON text, byte for byte.
    pub data: &'a [u8],
    /// SHA-256 of the box, if there is or was one.
    pub sealed_hash: Option<Hash>,
}

impl Leaf<'_> {
    /// Returns the index in the tree; `None` at position 0, which has no event.
    #[must_use]
    pub fn index(&self) -> Option<u64> {
        self.position.checked_sub(1)
    }

    /// Returns the bytes that are hashed: the prefix, then each column in the order of the table, as its length in one
    /// byte and its value. Numbers are big-endian; null has length 0. The data are represented by their SHA-256.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(MAX_LENGTH);
        bytes.extend_from_slice(PREFIX);
        put(&mut bytes, Some(self.shard.to_be_bytes()));
        put(&mut bytes, Some(self.position.to_be_bytes()));
        put(&mut bytes, Some(self.event_id));
        put(&mut bytes, Some(self.stream));
        put(&mut bytes, Some(self.stream_kind.to_be_bytes()));
        put(&mut bytes, Some(self.version.to_be_bytes()));
        put(&mut bytes, Some(self.event_type.to_be_bytes()));
        put(&mut bytes, Some(self.schema_version.to_be_bytes()));
        put(&mut bytes, Some(self.recorded_at_us.to_be_bytes()));
        put(&mut bytes, self.effective_at_us.map(i64::to_be_bytes));
        put(&mut bytes, self.actor);
        put(&mut bytes, self.cause_id);
        put(&mut bytes, self.correlation_id);
        put(&mut bytes, Some(self.platform));
        put(&mut bytes, Some(Hash::from(Sha256::digest(self.data))));
        put(&mut bytes, self.sealed_hash);
        bytes
    }

    /// Returns the leaf hash: SHA-256 of a zero byte and the leaf's bytes.
    #[must_use]
    pub fn hash(&self) -> Hash {
        leaf_hash(&self.bytes())
    }
}

fn put<const N: usize>(bytes: &mut Vec<u8>, value: Option<[u8; N]>) {
    const { assert!(N > 0 && N < 256, "a length is one byte, and 0 is null") };
    if let Some(value) = value {
        bytes.extend(u8::try_from(N));
        bytes.extend_from_slice(&value);
    } else {
        bytes.push(0);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use alloc::collections::BTreeSet;

    use super::*;

    /// An event with every optional column.
    pub(crate) const FULL: Leaf<'static> = Leaf {
        shard: 1,
        position: 3,
        event_id: [1; 16],
        stream: [2; 16],
        stream_kind: 5,
        version: 2,
        event_type: 30,
        schema_version: 1,
        recorded_at_us: 1_795_248_042_461_000,
        effective_at_us: Some(1_795_248_042_462_000),
        actor: Some([3; 16]),
        cause_id: Some([4; 16]),
        correlation_id: Some([5; 16]),
        platform: [6; 16],
        data: br#"{"posted":100}"#,
        sealed_hash: Some([7; 32]),
    };

    #[test]
    fn full_leaf_has_maximum_length() {
        assert_eq!(FULL.bytes().len(), MAX_LENGTH);
    }

    /// A null differs from a zero value, and equal values in two columns are not interchangeable.
    #[test]
    fn every_column_changes_the_hash() {
        let changes: [fn(&mut Leaf<'_>); 26] = [
            |_| (),
            |leaf| leaf.shard = 2,
            |leaf| leaf.position = 4,
            |leaf| leaf.event_id[15] ^= 1,
            |leaf| leaf.stream[0] ^= 1,
            |leaf| leaf.stream_kind = 6,
            |leaf| leaf.version = -2,
            |leaf| leaf.event_type = 31,
            |leaf| leaf.schema_version = 2,
            |leaf| leaf.recorded_at_us += 1,
            |leaf| leaf.effective_at_us = None,
            |leaf| leaf.effective_at_us = Some(0),
            |leaf| leaf.actor = None,
            |leaf| leaf.actor = Some([0; 16]),
            |leaf| leaf.cause_id = None,
            |leaf| leaf.cause_id = Some([3; 16]),
            |leaf| leaf.correlation_id = None,
            |leaf| leaf.correlation_id = Some([3; 16]),
            |leaf| leaf.platform[7] ^= 128,
            |leaf| leaf.data = br#"{"posted":1000}"#,
            |leaf| leaf.data = b"",
            |leaf| leaf.sealed_hash = None,
            |leaf| leaf.sealed_hash = Some([0; 32]),
            |leaf| (leaf.actor, leaf.cause_id) = (None, leaf.actor),
            |leaf| (leaf.cause_id, leaf.correlation_id) = (None, leaf.cause_id),
            |leaf| (leaf.stream_kind, leaf.event_type) = (30, 5),
        ];
        let hashes = changes.iter().map(|change| {
            let mut leaf = FULL;
            change(&mut leaf);
            leaf.hash()
        });
        assert_eq!(hashes.collect::<BTreeSet<_>>().len(), changes.len());
    }
}
