//! Trees of last entries: at a position, the newest entry of every account of a platform, in order of the accounts.
//!
//! The tree of the log cannot prove that no event follows an entry; this tree can. It is computed from the log and
//! committed to by an event, an attestation, with the data [`LastTree::data`].

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::error::Error;
use crate::growth::Growth;
use crate::inclusion;
use crate::leaf::Id;
use crate::tree::{Frontier, Hash, TreeHead, leaf_hash};

/// Prefix of the bytes of every leaf of this tree.
pub const PREFIX: &[u8; 16] = b"daybook-last-v1\n";

/// Newest entry of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastEntry {
    /// Stream of the account.
    pub account: Id,
    /// Position of its last entry.
    pub position: u64,
    /// Hash of that entry's leaf in the log.
    pub leaf_hash: Hash,
}

impl LastEntry {
    /// Returns the bytes that are hashed: prefix, account, position (big-endian), leaf hash.
    #[must_use]
    pub fn bytes(&self) -> [u8; 72] {
        let mut bytes = [0; 72];
        let parts = [PREFIX.as_slice(), &self.account, &self.position.to_be_bytes(), &self.leaf_hash];
        for (byte, value) in bytes.iter_mut().zip(parts.into_iter().flatten()) {
            *byte = *value;
        }
        bytes
    }

    /// Verifies that this entry is at `index` of the tree.
    pub fn verify(&self, index: u64, path: &[Hash], tree: &LastTree) -> Result<(), Error> {
        inclusion::verify(&leaf_hash(&self.bytes()), index, path, &tree.head)
    }
}

/// A tree of last entries, as an attestation states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastTree {
    /// Last position that the tree covers.
    pub position: u64,
    /// Number of accounts, and root.
    pub head: TreeHead,
}

impl LastTree {
    /// Returns the data of the event that commits to the tree, byte for byte.
    #[must_use]
    pub fn data(&self) -> String {
        format!(
            r#"{{"position":{},"accounts":{},"root":"{}"}}"#,
            self.position,
            self.head.size,
            self.root_text()
        )
    }

    /// Returns the root in base64, as the event has it.
    #[must_use]
    pub fn root_text(&self) -> String {
        STANDARD.encode(self.head.root)
    }
}

/// Number of last entries in a part. It is a power of two, so that the tree over the roots of the parts is the upper
/// part of the whole tree.
pub const ENTRIES_PER_PART: usize = 256;

/// Returns the head of a tree with this number of accounts, of which `roots` are the roots of its parts.
#[must_use]
pub fn join(accounts: u64, roots: &[Hash]) -> TreeHead {
    TreeHead { size: accounts, root: above(roots).head().root }
}

fn above(roots: &[Hash]) -> Growth {
    Growth::new(&Frontier::default(), roots.iter().copied())
}

/// Last entries from which proofs are made: all entries of a tree, or a part of them.
#[derive(Clone, Debug)]
pub struct LastEntries {
    entries: Vec<LastEntry>,
    growth: Growth,
}

impl LastEntries {
    /// Builds the tree. Fails if the accounts are not in ascending order.
    pub fn new(entries: Vec<LastEntry>) -> Result<Self, Error> {
        if !entries.is_sorted_by(|left, right| left.account < right.account) {
            return Err(Error::Malformed("a list in order of the accounts"));
        }
        let leaves = entries.iter().map(|entry| leaf_hash(&entry.bytes()));
        let growth = Growth::new(&Frontier::default(), leaves);
        Ok(Self { entries, growth })
    }

    /// Returns the number of accounts and the root.
    #[must_use]
    pub fn head(&self) -> TreeHead {
        self.growth.head()
    }

    /// Returns the last entry of an account with its index and path; `None` if the account has no entry.
    #[must_use]
    pub fn prove(&self, account: &Id) -> Option<(LastEntry, u64, Vec<Hash>)> {
        let place = self.entries.binary_search_by(|entry| entry.account.cmp(account)).ok()?;
        let index = u64::try_from(place).ok()?;
        Some((*self.entries.get(place)?, index, self.growth.prove(index).ok()?))
    }

    /// Same as [`Self::prove`] in a tree of which these entries are the part number `part`. Each part has
    /// [`ENTRIES_PER_PART`] entries, except the last.
    #[must_use]
    pub fn prove_in(&self, part: u64, roots: &[Hash], account: &Id) -> Option<(LastEntry, u64, Vec<Hash>)> {
        let (entry, index, mut path) = self.prove(account)?;
        path.extend(above(roots).prove(part).ok()?);
        Some((entry, part.checked_mul(ENTRIES_PER_PART as u64)?.checked_add(index)?, path))
    }
}
