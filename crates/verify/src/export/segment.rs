//! Segments: unpacked and hashed line by line.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use daybook_intake::file;
use daybook_intake::segment::{Claim, Frame, MAX_BYTES, MAX_LINE_BYTES};
use sha2::{Digest, Sha256};

use super::line::Line;
use super::manifest::Segment;
use super::walk::Walk;
use crate::input::Unreadable;

/// Reader that counts and hashes everything that is read through it.
struct Hashed<R> {
    inner: R,
    count: u64,
    hash: Sha256,
}

impl<R> Hashed<R> {
    fn new(inner: R) -> Self {
        Self { inner, count: 0, hash: Sha256::new() }
    }

    fn digest(self) -> (u64, String) {
        (self.count, hex::encode(self.hash.finalize()))
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hash.update(&buffer[..count]);
        self.count += count as u64;
        Ok(count)
    }
}

impl Segment {
    /// Reads the segment and passes every line to the walk.
    pub(super) fn read(&self, folder: &Path, walk: &mut Walk<'_>) -> Result<(), Unreadable> {
        let place = folder.join(&self.file);
        let unreadable = |error: io::Error| Unreadable::new(place.display(), error);
        if let Some(what) = self.refusal() {
            walk.skip(self, &what);
            return Ok(());
        }
        let (file, length) = match file::open(&place, MAX_BYTES) {
            Ok(opened) => opened,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                walk.skip(self, "it is missing");
                return Ok(());
            }
            Err(error) if error.kind() == ErrorKind::InvalidInput => {
                walk.skip(self, &error.to_string());
                return Ok(());
            }
            Err(error) => return Err(unreadable(error)),
        };
        if length != self.bytes {
            walk.fault(self, &format!("it has {length} bytes instead of {}", self.bytes));
        }
        let packed = BufReader::new(Hashed::new(file.take(self.bytes)));
        let mut frame = Frame::new(packed, self.plain_bytes).map_err(unreadable)?;
        let plain = self.lines(Hashed::new(&mut frame), walk);
        let (rest, packed) = frame.rest().map_err(unreadable)?;
        let is_plain = plain == (self.plain_bytes, self.plain_sha256.clone());
        let packed = packed.into_inner().digest();
        if packed != (self.bytes, self.sha256.clone()) {
            walk.fault(self, "its bytes are not those that the manifest names");
        }
        if !is_plain {
            walk.fault(self, "its lines are not those that the manifest names");
        }
        if is_plain && rest > 0 {
            walk.fault(self, &format!("its last {rest} bytes are behind its frame, and were not looked at"));
        }
        walk.segment_ends(self);
        Ok(())
    }

    /// Returns the reason for which the segment is not opened, if there is one.
    fn refusal(&self) -> Option<String> {
        if self.file.contains(['/', '\\']) || self.file.starts_with('.') {
            return Some("it is not in the folder".to_owned());
        }
        self.claim().refusal()
    }

    fn claim(&self) -> Claim {
        Claim {
            positions: (self.first_position, self.last_position),
            commits: (self.first_commit, self.last_commit),
            bytes: self.bytes,
            plain_bytes: self.plain_bytes,
        }
    }

    /// Reads as many lines as the manifest states. Data after them are read only as far as the hash requires.
    fn lines(&self, plain: Hashed<impl Read>, walk: &mut Walk<'_>) -> (u64, String) {
        let mut plain = BufReader::new(plain);
        let mut line = vec![];
        let claimed = self.claim().lines();
        for number in 1_u64.. {
            line.clear();
            match plain.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
                Ok(0) => break,
                Ok(_) if number > claimed => {
                    walk.unread(
                        self,
                        number,
                        "the manifest says that there is none, and from here on none is read",
                    );
                    break;
                }
                Ok(_) => {}
                Err(error) => {
                    walk.fault(self, &format!("it cannot be unpacked behind line {}: {error}", number - 1));
                    break;
                }
            }
            match Line::read(&line) {
                Ok(Line::Event(event)) => walk.event(&event),
                Ok(Line::Commit(commit)) => walk.commit(&commit),
                Err(what) => walk.unread(self, number, &what),
            }
        }
        plain.into_inner().digest()
    }
}
