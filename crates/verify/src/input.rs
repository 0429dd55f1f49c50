//! Input: files of bounded size, as text or JSON, and notes.

use std::fmt::Display;
use std::path::Path;

use daybook_intake::file::{self, Pipes};
use daybook_intake::segment::MAX_MANIFEST_BYTES;
use daybook_proof::{Checkpoint, Error, Key};
use serde::de::DeserializeOwned;

use crate::report::Report;

/// Maximum size in bytes of a file that is read as a whole. Segments are read line by line.
const MAX_BYTES: u64 = 64 << 20;

/// Error: an input cannot be read, so nothing could be checked.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {what}")]
pub(crate) struct Unreadable {
    place: String,
    what: String,
}

impl Unreadable {
    pub(crate) fn new(place: impl Display, what: impl Display) -> Self {
        Self { place: place.to_string(), what: what.to_string() }
    }
}

/// Reads a file as text.
pub(crate) fn text(file: &Path) -> Result<String, Unreadable> {
    file::read_to_string(file, MAX_BYTES, Pipes::Read).map_err(|error| Unreadable::new(file.display(), error))
}

/// Reads a file of an export as text. A pipe is refused.
pub(crate) fn text_of_export(file: &Path) -> Result<String, Unreadable> {
    let text = file::read_to_string(file, MAX_MANIFEST_BYTES, Pipes::Refused);
    text.map_err(|error| Unreadable::new(file.display(), error))
}

/// Reads a file as JSON of one of the types of `docs/reference/proof.md`.
pub(crate) fn json<T: DeserializeOwned>(file: &Path, what: &str) -> Result<T, Unreadable> {
    let text = text(file)?;
    serde_json::from_str(&text)
        .map_err(|error| Unreadable::new(file.display(), format!("not {what}: {error}")))
}

/// Opens a checkpoint that a trusted key signed. Returns `None` and reports a finding if no trusted key did.
pub(crate) fn checkpoint(
    name: impl Display,
    note: &str,
    keys: &[Key],
    report: &mut Report,
) -> Result<Option<Checkpoint>, Unreadable> {
    match Checkpoint::open(note.as_bytes(), keys) {
        Ok(checkpoint) => {
            let size = checkpoint.head.size;
            report.holds(format!("{name}: {} has signed that it has {size} events", checkpoint.origin));
            Ok(Some(checkpoint))
        }
        Err(error @ Error::Malformed(_)) => Err(Unreadable::new(name, error)),
        Err(error) => {
            report.wrong(format!("{name}: {error}"));
            Ok(None)
        }
    }
}

/// Same as [`checkpoint`], for a checkpoint in a file.
pub(crate) fn checkpoint_file(
    file: &Path,
    keys: &[Key],
    report: &mut Report,
) -> Result<Option<Checkpoint>, Unreadable> {
    checkpoint(file.display(), &text(file)?, keys, report)
}
