//! Reasons for which a proof is rejected.

use core::fmt;

use crate::tree::Node;

/// Reason for which a proof is rejected or cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The tree has no such leaf, or not this size.
    OutOfRange,
    /// A hash that the proof needs is missing.
    Missing(Node),
    /// The number of hashes in the proof does not fit the index and the size.
    Length,
    /// The hashes lead to another root.
    Root,
    /// The input does not have the named form.
    Malformed(&'static str),
    /// No signature is by a key that is trusted for this statement.
    UnknownKey,
    /// A signature names a trusted key but is not by that key.
    Signature,
    /// The receipt has no path: it shows the signed root and proves nothing about the event.
    NoPath,
    /// A part of the proof is about another log, account or event.
    Other,
    /// The entries are not next to each other around the position.
    NotNeighbours,
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::OutOfRange => "no such leaf or size in this tree",
            Self::Missing(Node { level, index }) => {
                return write!(formatter, "hash {index} of level {level} is missing");
            }
            Self::Length => "the proof has the wrong number of hashes",
            Self::Root => "the hashes lead to another root",
            Self::Malformed(what) => return write!(formatter, "not {what}"),
            Self::UnknownKey => "not signed by a key that is trusted for it",
            Self::Signature => "the signature is not by the key that it names",
            Self::NoPath => "the receipt has no path to the root",
            Self::Other => "it is about another log, account or event",
            Self::NotNeighbours => "these entries are not next to each other around the position",
        };
        formatter.write_str(text)
    }
}

impl core::error::Error for Error {}
