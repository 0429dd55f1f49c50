//! Why something is not proved.

use core::fmt;

use crate::tree::Node;

/// Why something is not proved, or cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There is no such leaf or size in this tree.
    OutOfRange,
    /// A hash that is needed for the answer is not there.
    Missing(Node),
    /// The proof has not as many hashes as one for this place and size has.
    Length,
    /// The hashes lead to another root.
    Root,
    /// This is not of the form that is named.
    Malformed(&'static str),
    /// Nothing is signed by a key that is trusted for it.
    UnknownKey,
    /// A signature under the name of a trusted key is not of that key.
    Signature,
    /// A receipt without a path: it says who signed, and nothing about the event.
    NoPath,
    /// What should be about one log, account or event is about another one.
    Other,
    /// These entries are not next to each other around the position.
    NotNeighbours,
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::OutOfRange => "no such leaf or size in this tree",
            Self::Missing(Node { level, index }) => {
                return write!(formatter, "the hash {index} of level {level} is not there");
            }
            Self::Length => "the proof has not as many hashes as it needs",
            Self::Root => "the hashes lead to another root",
            Self::Malformed(what) => return write!(formatter, "not {what}"),
            Self::UnknownKey => "not signed by a key that is trusted for it",
            Self::Signature => "the signature is not of the key that it names",
            Self::NoPath => "the receipt has no path to the root",
            Self::Other => "it is about another log, account or event",
            Self::NotNeighbours => "these entries are not next to each other around the position",
        };
        formatter.write_str(text)
    }
}

impl core::error::Error for Error {}
