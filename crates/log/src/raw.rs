//! Raw rows with every column as stored, for tools that verify, copy or display a log without trusting it.

use uuid::Uuid;

/// A row of `event`. Its bytes are owned or borrowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawEvent<B = Vec<u8>> {
    /// Position in the shard's log.
    pub position: u64,
    /// Id of the event.
    pub event_id: Uuid,
    /// Id of the aggregate.
    pub stream: Uuid,
    /// Kind of the aggregate.
    pub stream_kind: i16,
    /// Version: place in the stream.
    pub version: i32,
    /// Type of the event.
    pub event_type: i16,
    /// Version of the type's schema.
    pub schema_version: i16,
    /// Time of recording, in microseconds since the Unix epoch.
    pub recorded_at_us: i64,
    /// Effective time, in microseconds since the Unix epoch, if it differs from the time of recording.
    pub effective_at_us: Option<i64>,
    /// User that requested the change.
    pub actor: Option<Uuid>,
    /// Id of the command that caused the event.
    pub cause_id: Option<Uuid>,
    /// Id that groups related events.
    pub correlation_id: Option<Uuid>,
    /// Platform that the event belongs to.
    pub platform: Uuid,
    /// JSON text, byte for byte as stored.
    pub data: B,
    /// Box (ciphertext). Also `None` if the caller asked not to read it.
    pub sealed: Option<B>,
    /// SHA-256 of the box. It stays if the box itself is missing.
    pub sealed_hash: Option<B>,
}

/// A row of `commit`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawCommit {
    /// Number of the commit.
    pub commit_no: u64,
    /// Id of the commit, chosen by the writer.
    pub batch: Uuid,
    /// Id of the process that wrote the commit.
    pub writer: Uuid,
    /// Position of the commit's last event.
    pub last_position: u64,
    /// Time of recording, in microseconds since the Unix epoch.
    pub recorded_at_us: i64,
    /// Merkle root of the tree after the commit.
    pub root: Option<Vec<u8>>,
    /// Signature of the root.
    pub signature: Option<Vec<u8>>,
    /// Frontier (compact range) from which the tree grows. It is not part of a bundle.
    pub frontier: Option<Vec<u8>>,
}

/// A row of `tile`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawTile {
    /// Level of the tile; 0 for tiles of leaves.
    pub level: i16,
    /// Index of the tile in its level.
    pub n: i64,
    /// Hashes of 32 bytes each, concatenated.
    pub hashes: Vec<u8>,
}

/// A row of `cursor`. Its numbers are not checked and may lie outside the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawCursor {
    /// Name of the reader that owns the cursor.
    pub name: String,
    /// Last position that the reader has handled.
    pub position: i64,
    /// Number of the commit that ends there.
    pub commit_no: i64,
    /// Time of recording of that commit, in microseconds since the Unix epoch, if the cursor has it.
    pub at_us: Option<i64>,
}

/// Lowest and highest keys in the tables of a shard, without any check of the rows. All zero if there are no rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableBounds {
    /// Lowest position of an event.
    pub first_position: i64,
    /// Highest position of an event.
    pub last_position: i64,
    /// Lowest number of a commit.
    pub first_commit: i64,
    /// Highest number of a commit.
    pub last_commit: i64,
}

/// Counts of the events of one type, schema version and kind of stream in a range of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawCount {
    /// Type of the events.
    pub event_type: i16,
    /// Version of the type's schema.
    pub schema_version: i16,
    /// Kind of the streams.
    pub stream_kind: i16,
    /// Number of events.
    pub events: u64,
    /// Total size of their data in bytes.
    pub data_bytes: u64,
    /// Number of boxes.
    pub boxes: u64,
    /// Total size of the boxes in bytes.
    pub box_bytes: u64,
    /// Time of recording of the first of these events, in microseconds since the Unix epoch.
    pub first_at_us: i64,
    /// Time of recording of the last of these events, in microseconds since the Unix epoch.
    pub last_at_us: i64,
}
