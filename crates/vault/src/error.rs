//! Errors of keys and boxes, by what a caller can do about them. No text contains a key or a plain text.

use std::io;
use std::path::PathBuf;

use uuid::Uuid;

use crate::Class;

/// A failure of the vault. It is never the customer's fault.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The keys could not be read or written. [`daybook_pg::Error::is_transient`] tells if a retry may succeed.
    #[error("the table of keys failed")]
    Database(#[from] daybook_pg::Error),
    /// The shard has no row, so nothing can be written to it.
    #[error("shard {0} does not exist")]
    UnknownShard(i16),
    /// The subject has no key of this class.
    #[error("the subject has no {0:?} key")]
    NoKey(Class),
    /// The box was changed, or was sealed for another subject, class or id.
    #[error("the box does not open")]
    Unopened,
    /// The box has an unknown version, or is too short to be a box.
    #[error("the box has no known layout")]
    UnknownLayout,
    /// The plain text is too long to seal (256 GiB).
    #[error("the text is too long to seal")]
    TooLong,
    /// A stored data key does not open under the master key: the master key is another one, or the row was changed.
    #[error("a data key of subject {subject} does not open under this master key")]
    Unwrapped {
        /// Subject of the key.
        subject: Uuid,
    },
    /// A stored key for hashes or tokens does not open under the master keys of this process.
    #[error("the vault's key {name} does not open under this master key")]
    UnwrappedDerived {
        /// Name of the key.
        name: String,
    },
    /// The file of the master key could not be read or written.
    #[error("the master key at {path}")]
    MasterKeyFile {
        /// Path of the file.
        path: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
    /// The file of the master key does not hold exactly 32 bytes.
    #[error("the master key at {path} has {length} bytes instead of 32")]
    MasterKeyLength {
        /// Path of the file.
        path: PathBuf,
        /// Number of bytes in the file.
        length: u64,
    },
}
