//! The tree of last entries: at a position, the newest entry of every account of a platform, in order of the accounts.
//!
//! The log has no way to show that nothing came after an entry; this tree has. It is computed beside the log and
//! committed as an event, whose data are [`LastTree::data`].

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

/// With what the bytes of every leaf of this tree begin.
pub const PREFIX: &[u8; 16] = b"daybook-last-v1\n";

/// The newest entry of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastEntry {
    /// The account's stream.
    pub account: Id,
    /// Position of its last entry.
    pub position: u64,
    /// The hash of that entry's leaf in the log.
    pub leaf_hash: Hash,
}

impl LastEntry {
    /// The bytes that are hashed: the prefix, the account, the position with the highest byte first, the hash.
    #[must_use]
    pub fn bytes(&self) -> [u8; 72] {
        let mut bytes = [0; 72];
        let parts = [PREFIX.as_slice(), &self.account, &self.position.to_be_bytes(), &self.leaf_hash];
        for (byte, value) in bytes.iter_mut().zip(parts.into_iter().flatten()) {
            *byte = *value;
        }
        bytes
    }

    /// Checks that this entry is at this index of the tree.
    pub fn verify(&self, index: u64, path: &[Hash], tree: &LastTree) -> Result<(), Error> {
        inclusion::verify(&leaf_hash(&self.bytes()), index, path, &tree.head)
    }
}

/// What an event says about such a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastTree {
    /// The last position that was looked at.
    pub position: u64,
    /// Number of accounts, and the root.
    pub head: TreeHead,
}

impl LastTree {
    /// The data of the event that commits to it, byte by byte.
    #[must_use]
    pub fn data(&self) -> String {
        format!(
            r#"{{"position":{},"accounts":{},"root":"{}"}}"#,
            self.position,
            self.head.size,
            self.root_text()
        )
    }

    /// The root in base64, as the event has it.
    #[must_use]
    pub fn root_text(&self) -> String {
        STANDARD.encode(self.head.root)
    }
}

/// How many last entries are kept together: a power of two, so that the tree of the parts' roots is the tree's upper half.
pub const PART: usize = 256;

/// The head of a tree of so many accounts, of which these are the roots of its parts.
#[must_use]
pub fn join(accounts: u64, roots: &[Hash]) -> TreeHead {
    TreeHead { size: accounts, root: above(roots).head().root }
}

fn above(roots: &[Hash]) -> Growth {
    Growth::new(&Frontier::default(), roots.iter().copied())
}

/// Last entries, from which paths are made: all there are, or a part of them.
#[derive(Clone, Debug)]
pub struct LastEntries {
    entries: Vec<LastEntry>,
    growth: Growth,
}

impl LastEntries {
    /// Builds the tree. Fails if the accounts are not in rising order.
    pub fn new(entries: Vec<LastEntry>) -> Result<Self, Error> {
        if !entries.is_sorted_by(|left, right| left.account < right.account) {
            return Err(Error::Malformed("a list in order of the accounts"));
        }
        let leaves = entries.iter().map(|entry| leaf_hash(&entry.bytes()));
        let growth = Growth::new(&Frontier::default(), leaves);
        Ok(Self { entries, growth })
    }

    /// Number of accounts, and the root.
    #[must_use]
    pub fn head(&self) -> TreeHead {
        self.growth.head()
    }

    /// The last entry of an account with its index and path; none if it has no entry.
    #[must_use]
    pub fn prove(&self, account: &Id) -> Option<(LastEntry, u64, Vec<Hash>)> {
        let place = self.entries.binary_search_by(|entry| entry.account.cmp(account)).ok()?;
        let index = u64::try_from(place).ok()?;
        Some((*self.entries.get(place)?, index, self.growth.prove(index).ok()?))
    }

    /// The same in a tree of which these are the part with the number `part`: of [`PART`] each, but for the last one.
    #[must_use]
    pub fn prove_in(&self, part: u64, roots: &[Hash], account: &Id) -> Option<(LastEntry, u64, Vec<Hash>)> {
        let (entry, index, mut path) = self.prove(account)?;
        path.extend(above(roots).prove(part).ok()?);
        Some((entry, part.checked_mul(PART as u64)?.checked_add(index)?, path))
    }
}
