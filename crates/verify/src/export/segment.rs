//! Segments: unpacked and hashed line by line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::line::Line;
use super::manifest::Segment;
use super::walk::Walk;
use crate::input::Unreadable;

/// The most bytes of a segment, packed or unpacked.
const MAX_SEGMENT: u64 = 1 << 30;
/// The most bytes of a line: a box in base64, and some more.
const MAX_LINE: u64 = 64 << 20;

/// Counts and hashes what is read through it.
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
    /// Reads the segment and leads every line of it through the walk.
    pub(super) fn read(&self, folder: &Path, walk: &mut Walk<'_>) -> Result<(), Unreadable> {
        let place = folder.join(&self.file);
        let unreadable = |error: io::Error| Unreadable::new(place.display(), error);
        if let Some(what) = self.refusal() {
            walk.skip(self, what);
            return Ok(());
        }
        let file = match File::open(&place) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                walk.skip(self, "it is missing");
                return Ok(());
            }
            Err(error) => return Err(unreadable(error)),
        };
        let length = file.metadata().map_err(unreadable)?.len();
        if length != self.bytes {
            walk.fault(self, &format!("it has {length} bytes instead of {}", self.bytes));
        }
        let packed = BufReader::new(Hashed::new(file.take(MAX_SEGMENT)));
        let mut decoder = zstd::Decoder::with_buffer(packed).map_err(unreadable)?.single_frame();
        // What unpacks to more than it says is not unpacked further.
        let plain = Hashed::new(decoder.by_ref().take(self.plain_bytes.saturating_add(1)));
        let plain = self.lines(plain, walk);
        let mut packed = decoder.finish();
        io::copy(&mut packed, &mut io::sink()).map_err(unreadable)?;
        let packed = packed.into_inner().digest();
        if packed != (self.bytes, self.sha256.clone()) {
            walk.fault(self, "its bytes are not those that the manifest names");
        }
        if plain != (self.plain_bytes, self.plain_sha256.clone()) {
            walk.fault(self, "its lines are not those that the manifest names");
        }
        walk.segment_ends(self);
        Ok(())
    }

    /// Why it is not even opened.
    fn refusal(&self) -> Option<&'static str> {
        if self.file.contains(['/', '\\']) || self.file.starts_with('.') {
            return Some("it is not in the folder");
        }
        (self.bytes.max(self.plain_bytes) > MAX_SEGMENT).then_some("it is larger than any segment is")
    }

    fn lines(&self, plain: Hashed<impl Read>, walk: &mut Walk<'_>) -> (u64, String) {
        let mut plain = BufReader::new(plain);
        let mut line = vec![];
        for number in 1_u64.. {
            line.clear();
            match plain.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
                Ok(0) => break,
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
