//! Bundles: a log as files, `docs/reference/bundle.md`. Segments of whole commits, and a manifest with their hashes.

mod export;
mod import;
mod line;
mod manifest;
mod segment;

use std::io;
use std::path::PathBuf;

use daybook_log::Shard;
use uuid::Uuid;

/// How many bytes of boxes a segment holds, but for its last commit.
pub const SEGMENT_BOXES: u64 = 32 << 20;

pub use self::export::{Plan, export};
pub use self::import::{Imported, import};
pub use self::manifest::{Manifest, Segment};
pub use self::segment::Rows;

/// Why a bundle was not written or loaded.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder holds something already.
    #[error("{0} is not empty; --force replaces a bundle that is there")]
    Occupied(PathBuf),
    /// The folder holds an export of a log with this id that went another way.
    #[error(
        "{0} holds the beginning of an export that is not the beginning of this log; --force begins anew"
    )]
    Other(PathBuf),
    /// The log holds something already.
    #[error("shard {shard} holds the log {found} up to position {position}; import only into an empty log")]
    NotEmpty {
        /// The shard.
        shard: Shard,
        /// The log that is there.
        found: Uuid,
        /// How long it is.
        position: u64,
    },
    /// The manifest is missing, malformed or altered.
    #[error("manifest.json: {0}")]
    Manifest(String),
    /// A segment is missing or is not what the manifest says.
    #[error("segment {file}, positions {first} to {last}: {what}")]
    Segment {
        /// Its file.
        file: String,
        /// Its first position by the manifest.
        first: u64,
        /// Its last position by the manifest.
        last: u64,
        /// What is wrong.
        what: String,
    },
    /// An event or commit in a segment is not as it must be.
    #[error("segment {file}, position {position}: {place}: {what}")]
    Content {
        /// The segment's file.
        file: String,
        /// The position.
        position: u64,
        /// The stream or commit.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// Nobody who is trusted vouches for the bundle.
    #[error("the bundle is not to be trusted: {0}")]
    Untrusted(String),
    /// What was loaded does not read back as what the bundle holds.
    #[error("segment {file}: the database holds something else than was loaded")]
    Differs {
        /// The segment's file.
        file: String,
    },
    /// The log cannot be read or written.
    #[error(transparent)]
    Log(#[from] daybook_log::Error),
    /// The operating system says no.
    #[error(transparent)]
    Io(#[from] io::Error),
}
