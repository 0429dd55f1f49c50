//! What can go wrong with keys and boxes, by what a caller can do about it. No text here holds a key or a plain text.

use std::io;
use std::path::PathBuf;

use uuid::Uuid;

use crate::Class;

/// A failure of the vault; never the customer's fault.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The keys could not be read or written; [`daybook_pg::Error::is_transient`] tells whether to try again.
    #[error("the table of keys failed")]
    Database(#[from] daybook_pg::Error),
    /// The shard has no row of its own, so nothing can be written there.
    #[error("shard {0} does not exist")]
    UnknownShard(i16),
    /// The subject has no key of this class.
    #[error("the subject has no {0:?} key")]
    NoKey(Class),
    /// The box was changed, or was sealed for another subject, class or id.
    #[error("the box does not open")]
    Unopened,
    /// The box begins with a version that this binary does not know, or is too short to be one.
    #[error("the box has no known layout")]
    UnknownLayout,
    /// The plain text is too long to seal (256 GiB).
    #[error("the text is too long to seal")]
    TooLong,
    /// A stored data key does not open under this master key: it is another one, or the row was changed.
    #[error("a data key of subject {subject} does not open under this master key")]
    Unwrapped {
        /// Whose key it is.
        subject: Uuid,
    },
    /// A stored key of hashes or tokens does not open under the master keys at hand.
    #[error("the vault's key {name} does not open under this master key")]
    UnwrappedDerived {
        /// Which one.
        name: String,
    },
    /// The file of the master key could not be read or written.
    #[error("the master key at {path}")]
    MasterKeyFile {
        /// Where it is.
        path: PathBuf,
        /// What the file system answered.
        source: io::Error,
    },
    /// The file of the master key does not hold exactly 32 bytes.
    #[error("the master key at {path} has {length} bytes instead of 32")]
    MasterKeyLength {
        /// Where it is.
        path: PathBuf,
        /// How many bytes it has.
        length: u64,
    },
}
