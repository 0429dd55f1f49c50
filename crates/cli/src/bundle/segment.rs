//! Segments: the compressed lines of whole commits. Reading checks every claim of the manifest.

use std::io::{self, Read};
use std::path::Path;

use daybook_intake::file;
use daybook_intake::segment::{Frame, MAX_BYTES, MAX_LINE_BYTES};
use daybook_log::raw::{RawCommit, RawEvent};
use sha2::{Digest, Sha256};

use super::Error;
use super::line::Line;
use super::manifest::Segment;

/// Compression level. It is the default of zstd.
const COMPRESSION_LEVEL: i32 = 3;

/// Contents of a segment: commits with their events.
#[derive(Default)]
pub struct Rows {
    /// The events, in order.
    pub events: Vec<RawEvent>,
    /// The commits, in order.
    pub commits: Vec<RawCommit>,
}

/// Encodes commits and their events as lines. Each commit follows its events.
pub(super) fn lines(rows: Rows) -> Result<Vec<u8>, io::Error> {
    let mut text = Vec::new();
    let mut push = |line: Line| {
        serde_json::to_writer(&mut text, &line)?;
        text.push(b'\n');
        Ok::<_, io::Error>(())
    };
    let mut events = rows.events.into_iter().peekable();
    for commit in rows.commits {
        while let Some(event) = events.next_if(|event| event.position <= commit.last_position) {
            push(Line::try_from(event).map_err(io::Error::other)?)?;
        }
        push(commit.into())?;
    }
    Ok(text)
}

/// SHA-256 of bytes, in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Compresses lines into one frame with a checksum, and with the size in its header.
pub(super) fn compress(lines: &[u8]) -> Result<Vec<u8>, io::Error> {
    let mut compressor = zstd::bulk::Compressor::new(COMPRESSION_LEVEL)?;
    compressor.include_checksum(true)?;
    compressor.compress(lines)
}

impl Segment {
    fn damaged(&self, what: impl Into<String>) -> Error {
        let (first, last) = (self.first_position, self.last_position);
        Error::Segment { file: self.file.clone(), first, last, what: what.into() }
    }

    /// Reads the segment and checks it against the manifest: bytes, hashes, and the range of its rows.
    ///
    /// # Errors
    ///
    /// [`Error::Segment`] if it does not match the manifest.
    pub fn load(&self, folder: &Path) -> Result<Rows, Error> {
        let (opened, length) = match file::open(&folder.join(&self.file), MAX_BYTES) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(self.damaged("it is missing"));
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                return Err(self.damaged(error.to_string()));
            }
            Err(error) => return Err(error.into()),
        };
        if length != self.bytes {
            return Err(self.damaged(format!("it has {length} bytes instead of {}", self.bytes)));
        }
        let file = file::read_opened(opened, self.bytes)?;
        if sha256(&file) != self.sha256 {
            return Err(self.damaged("its bytes are not those that were written"));
        }
        let mut text = Vec::new();
        let mut unpack = || {
            let mut frame = Frame::new(file.as_slice(), self.plain_bytes)?;
            frame.read_to_end(&mut text)?;
            Ok::<_, io::Error>(frame.rest()?.0)
        };
        let rest = unpack().map_err(|error| self.damaged(format!("it cannot be decompressed: {error}")))?;
        if text.len() as u64 != self.plain_bytes || sha256(&text) != self.plain_sha256 {
            return Err(self.damaged("its lines are not those that were written"));
        }
        if rest > 0 {
            return Err(self.damaged(format!("its last {rest} bytes are behind its frame")));
        }
        let rows = self.parse(&text)?;
        let last = rows.commits.last().map_or((0, 0), |commit| (commit.last_position, commit.commit_no));
        let first = rows.commits.first().map_or(0, |commit| commit.commit_no);
        let begins = rows.events.first().map_or(0, |event| event.position);
        if (begins, first, last)
            != (self.first_position, self.first_commit, (self.last_position, self.last_commit))
        {
            return Err(self.damaged("it holds other positions or commits than the manifest says"));
        }
        Ok(rows)
    }

    fn parse(&self, text: &[u8]) -> Result<Rows, Error> {
        let mut rows = Rows::default();
        let claimed = self.claim().lines();
        for (number, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
            if number as u64 >= claimed || line.len() as u64 > MAX_LINE_BYTES {
                return Err(self.damaged(format!("line {} is one too many, or too long", number + 1)));
            }
            match serde_json::from_slice(line) {
                Ok(Line::Event(event)) => rows.events.push(event.into()),
                Ok(Line::Commit(commit)) => rows.commits.push(commit.into()),
                Err(error) => {
                    let last = rows.events.last();
                    let position = last.map_or(self.first_position, |event| event.position.saturating_add(1));
                    let what = format!("line {} cannot be read, at position {position}: {error}", number + 1);
                    return Err(self.damaged(what));
                }
            }
        }
        Ok(rows)
    }
}
