//! The balance of an account at a position: the entry that holds its numbers, and that no other one was there yet.

use crate::error::Error;
use crate::inclusion;
use crate::last::{LastEntry, LastTree};
use crate::leaf::{Id, Leaf};
use crate::tree::{Hash, TreeHead};

/// An event with the way to the root of the log's tree.
#[derive(Clone, Copy, Debug)]
pub struct Included<'a> {
    /// The event.
    pub leaf: Leaf<'a>,
    /// The hashes beside its path.
    pub path: &'a [Hash],
}

impl Included<'_> {
    /// Checks that the event is in this tree.
    pub fn verify(&self, head: &TreeHead) -> Result<(), Error> {
        let index = self.leaf.index().ok_or(Error::OutOfRange)?;
        inclusion::verify(&self.leaf.hash(), index, self.path, head)
    }
}

/// Why the entry is the newest at the position.
#[derive(Clone, Copy, Debug)]
pub enum Until<'a> {
    /// The account's next entry is behind the position.
    Next(Included<'a>),
    /// A tree of last entries of its platform, of this position or a later one, has this entry as the account's last.
    Last {
        /// The event that commits to that tree.
        committed: Included<'a>,
        /// What it says.
        tree: LastTree,
        /// Place in it.
        index: u64,
        /// The hashes beside the path to its root.
        path: &'a [Hash],
    },
}

/// The newest entry of an account at a position, and why it is that.
///
/// It shows what the signed log has. That a stream has no second event of the same version shows whoever folds the
/// whole log. Which types of events these are is looked at by the caller, and so are the numbers in their data.
#[derive(Clone, Copy, Debug)]
pub struct Balance<'a> {
    /// The account's stream.
    pub account: Id,
    /// The position at which the balance is asked.
    pub at: u64,
    /// The entry with the numbers; none if the account's first entry came later.
    pub entry: Option<Included<'a>>,
    /// Why no newer one counts.
    pub until: Until<'a>,
}

impl Balance<'_> {
    /// Checks it against the head of the log's tree. What the balance is stands in the data of `entry`.
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
        // A tree tells about positions up to its own, and was committed after them.
        let is_about = self.at <= tree.position && tree.position < committed.leaf.position;
        if is_about { Ok(()) } else { Err(Error::NotNeighbours) }
    }

    fn check_account(&self, leaf: &Leaf<'_>) -> Result<(), Error> {
        if leaf.stream == self.account { Ok(()) } else { Err(Error::Other) }
    }
}
