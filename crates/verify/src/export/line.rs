//! Lines of a segment. Each line has exactly one valid text.

use serde::{Deserialize, Serialize};

use crate::wire::{Bytes, EventRow, Hash, Id};

/// A line of a segment.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Line {
    Event(Box<EventRow>),
    Commit(CommitLine),
}

/// A row of `commit`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CommitLine {
    pub(super) commit_no: u64,
    pub(super) batch: Id,
    pub(super) writer: Id,
    pub(super) last_position: u64,
    pub(super) recorded_at_us: i64,
    pub(super) root: Option<Hash>,
    pub(super) signature: Option<Bytes>,
}

impl Line {
    /// Parses a line including its end; returns the reason if it is invalid.
    pub(super) fn read(line: &[u8]) -> Result<Self, String> {
        let text = line.strip_suffix(b"\n").ok_or("it has no line end")?;
        let read: Self = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        // Only the canonical text is accepted, so the line contains nothing that no hash covers.
        if serde_json::to_vec(&read).is_ok_and(|written| written == text) {
            Ok(read)
        } else {
            Err("it is not written as an export writes it".to_owned())
        }
    }
}
