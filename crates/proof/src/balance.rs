//! Proof of the balance of an account at a position: the entry with its numbers, and evidence that it is the newest
//! there.

use crate::error::Error;
use crate::inclusion;
use crate::last::{LastEntry, LastTree};
use crate::leaf::{Id, Leaf};
use crate::tree::{Hash, TreeHead};

/// An event with its inclusion path in the log's tree.
#[derive(Clone, Copy, Debug)]
pub struct Included<'a> {
    /// Leaf of the event.
    pub leaf: Leaf<'a>,
    /// Sibling hashes on the path to the root.
    pub path: &'a [Hash],
}

impl Included<'_> {
    /// Verifies that the event is in the tree `head`.
    pub fn verify(&self, head: &TreeHead) -> Result<(), Error> {
        let index = self.leaf.index().ok_or(Error::OutOfRange)?;
        inclusion::verify(&self.leaf.hash(), index, self.path, head)
    }
}

/// Evidence that an entry is the newest one at a position.
#[derive(Clone, Copy, Debug)]
pub enum Until<'a> {
    /// The account's next entry is after the position.
    Next(Included<'a>),
    /// The account's last entry in a tree of last entries of its platform is this entry. The tree covers the position.
    Last {
        /// Event that commits to that tree.
        committed: Included<'a>,
        /// The tree as the event states it.
        tree: LastTree,
        /// Index of the entry in that tree.
        index: u64,
        /// Sibling hashes on the path to its root.
        path: &'a [Hash],
    },
}

/// Newest entry of an account at a position, with evidence that it is the newest.
///
/// The proof is about the content of the signed log. It does not show that the stream has no second event of the same
/// version; a fold of the whole log shows that. The caller checks the types of the events, and the numbers in their
/// data.
#[derive(Clone, Copy, Debug)]
pub struct Balance<'a> {
    /// Stream of the account.
    pub account: Id,
    /// Position as of which the balance is asked.
    pub at: u64,
    /// Entry with the numbers; `None` if the account's first entry is after the position.
    pub entry: Option<Included<'a>>,
    /// Evidence that no newer entry exists at the position.
    pub until: Until<'a>,
}

impl Balance<'_> {
    /// Verifies the proof against the head of the log's tree. The balance itself is in the data of `entry`.
    pub fn verify(&self, head: &TreeHead) -> Result<(), Error> {
        if let Some(entry) = &self.entry {
            entry.verify(head)?;
            self.check_account(&entry.leaf)?;
            if entry.leaf.position > self.at {
                return Err(Error::NotNeighbours);
            }
        }
        match &self.until {
            Until::Next(next) => self.check_next(next, head),
            Until::Last { committed, tree, index, path } => {
                committed.verify(head)?;
                self.check_last(committed, tree)?;
                let entry = self.entry.as_ref().ok_or(Error::NotNeighbours)?;
                if entry.leaf.platform != committed.leaf.platform {
                    return Err(Error::Other);
                }
                let (position, leaf_hash) = (entry.leaf.position, entry.leaf.hash());
                LastEntry { account: self.account, position, leaf_hash }.verify(*index, path, tree)
            }
        }
    }

    fn check_next(&self, next: &Included<'_>, head: &TreeHead) -> Result<(), Error> {
        next.verify(head)?;
        self.check_account(&next.leaf)?;
        let before = self.entry.as_ref().map_or(0, |entry| entry.leaf.version);
        let is_next = before.checked_add(1) == Some(next.leaf.version) && next.leaf.position > self.at;
        if is_next { Ok(()) } else { Err(Error::NotNeighbours) }
    }

    fn check_last(&self, committed: &Included<'_>, tree: &LastTree) -> Result<(), Error> {
        if committed.leaf.data != tree.data().as_bytes() {
            return Err(Error::Other);
        }
        // A tree covers positions up to its own, and is committed after them.
        let is_about = self.at <= tree.position && tree.position < committed.leaf.position;
        if is_about { Ok(()) } else { Err(Error::NotNeighbours) }
    }

    fn check_account(&self, leaf: &Leaf<'_>) -> Result<(), Error> {
        if leaf.stream == self.account { Ok(()) } else { Err(Error::Other) }
    }
}
