//! Rows as the database holds them, every column of them: for whoever checks, copies or shows a log without trusting it.

use uuid::Uuid;

/// A row of `event`, whose bytes are its own or lie elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawEvent<B = Vec<u8>> {
    /// Place in the shard's log.
    pub position: u64,
    /// The event's own id.
    pub event_id: Uuid,
    /// The aggregate.
    pub stream: Uuid,
    /// The aggregate's kind.
    pub stream_kind: i16,
    /// Place in the stream.
    pub version: i32,
    /// The event's type.
    pub event_type: i16,
    /// Version of the type's schema.
    pub schema_version: i16,
    /// When it was recorded, in microseconds since the Unix epoch.
    pub recorded_at_us: i64,
    /// When it counts, in microseconds since the Unix epoch, if that differs.
    pub effective_at_us: Option<i64>,
    /// The user who asked for it.
    pub actor: Option<Uuid>,
    /// The command that led to it.
    pub cause_id: Option<Uuid>,
    /// What it belongs together with.
    pub correlation_id: Option<Uuid>,
    /// The platform that it belongs to.
    pub platform: Uuid,
    /// JSON text, byte by byte.
    pub data: B,
    /// The box; also none if it was asked not to be read.
    pub sealed: Option<B>,
    /// SHA-256 of the box, which may be gone.
    pub sealed_hash: Option<B>,
}

/// A row of `commit`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawCommit {
    /// Number of the commit.
    pub commit_no: u64,
    /// The writer's id of it.
    pub batch: Uuid,
    /// The process that wrote it.
    pub writer: Uuid,
    /// Position of its last event.
    pub last_position: u64,
    /// When it was recorded, in microseconds since the Unix epoch.
    pub recorded_at_us: i64,
    /// Root of the hash tree after it.
    pub root: Option<Vec<u8>>,
    /// Signature of the root.
    pub signature: Option<Vec<u8>>,
    /// What the tree grows on from; no part of a bundle.
    pub frontier: Option<Vec<u8>>,
}

/// A row of `tile`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawTile {
    /// Level of tiles, 0 for leaves.
    pub level: i16,
    /// Place in the level.
    pub n: i64,
    /// The hashes, 32 bytes each.
    pub hashes: Vec<u8>,
}

/// A row of `cursor`, whose numbers may be none that a log has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawCursor {
    /// Whose it is.
    pub name: String,
    /// The last position that was handled.
    pub position: i64,
    /// The commit that ends there.
    pub commit_no: i64,
    /// When that commit was recorded, in microseconds since the Unix epoch, if the cursor says so.
    pub at_us: Option<i64>,
}

/// What the tables of a shard hold at all, whether or not it is where it belongs. All zero if there is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The lowest position of a row.
    pub first_position: i64,
    /// The highest position of a row.
    pub last_position: i64,
    /// The lowest number of a commit.
    pub first_commit: i64,
    /// The highest number of a commit.
    pub last_commit: i64,
}

/// What a range of positions holds of one type, schema version and kind of stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawCount {
    /// The type.
    pub event_type: i16,
    /// Version of the type's schema.
    pub schema_version: i16,
    /// The kind of stream.
    pub stream_kind: i16,
    /// How many events.
    pub events: u64,
    /// Bytes of their data.
    pub data_bytes: u64,
    /// How many boxes.
    pub boxes: u64,
    /// Bytes of the boxes.
    pub box_bytes: u64,
    /// When the first of them was recorded, in microseconds since the Unix epoch.
    pub first_at_us: i64,
    /// When the last of them was recorded.
    pub last_at_us: i64,
}
