//! Lines of a segment, of which each has one text.

use serde::{Deserialize, Serialize};

use crate::wire::{Bytes, EventRow, Hash, Id};

/// A line.
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
    /// Reads a line with its end; says why it is none.
    pub(super) fn read(line: &[u8]) -> Result<Self, String> {
        let text = line.strip_suffix(b"\n").ok_or("it has no end")?;
        let read: Self = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        // Written anew it is the same, so nothing is in it that no hash covers.
        if serde_json::to_vec(&read).is_ok_and(|written| written == text) {
            Ok(read)
        } else {
            Err("it is not written as an export writes it".to_owned())
        }
    }
}
