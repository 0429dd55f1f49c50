//! Bundles: a log as files, in the format of `docs/reference/bundle.md`. A bundle consists of segments of whole
//! commits, and a manifest with their hashes.

mod export;
mod import;
mod line;
mod manifest;
mod segment;

use std::io;
use std::path::PathBuf;

use daybook_log::Shard;
use uuid::Uuid;

/// Number of bytes of boxes after which a segment ends. The last commit may exceed it.
pub const SEGMENT_BOXES: u64 = 32 << 20;

pub use self::export::{Plan, export};
pub use self::import::{Imported, import, shard_of};
pub use self::manifest::{Manifest, Segment};
pub use self::segment::Rows;

/// Error of an export or import.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder is not empty.
    #[error("{0} is not empty; --force replaces an existing bundle")]
    Occupied(PathBuf),
    /// The folder contains an unfinished export of a log with this id, but with another history.
    #[error("{0} contains an unfinished export that is not the beginning of this log; --force starts again")]
    Other(PathBuf),
    /// The log is not empty.
    #[error("shard {shard} holds the log {found} up to position {position}; import only into an empty log")]
    NotEmpty {
        /// The shard.
        shard: Shard,
        /// Id of the log in the database.
        found: Uuid,
        /// Last position of that log.
        position: u64,
    },
    /// The manifest is missing, malformed or altered.
    #[error("manifest.json: {0}")]
    Manifest(String),
    /// A segment is missing, or does not match the manifest.
    #[error("segment {file}, positions {first} to {last}: {what}")]
    Segment {
        /// Name of the segment's file.
        file: String,
        /// First position according to the manifest.
        first: u64,
        /// Last position according to the manifest.
        last: u64,
        /// Description of the error.
        what: String,
    },
    /// An event or commit in a segment is not valid.
    #[error("segment {file}, position {position}: {place}: {what}")]
    Content {
        /// Name of the segment's file.
        file: String,
        /// Position of the event or commit.
        position: u64,
        /// Stream or commit.
        place: String,
        /// Description of the error.
        what: String,
    },
    /// The bundle is not signed by a trusted key.
    #[error("the bundle is not trusted: {0}")]
    Untrusted(String),
    /// The loaded log, read back, differs from the bundle.
    #[error("segment {file}: the log in the database differs from the bundle after loading")]
    Differs {
        /// Name of the segment's file.
        file: String,
    },
    /// The log cannot be read or written.
    #[error(transparent)]
    Log(#[from] daybook_log::Error),
    /// The operating system reported an error.
    #[error(transparent)]
    Io(#[from] io::Error),
}
