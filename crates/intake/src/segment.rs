//! Segments of a bundle: one zstd frame of lines, and what its manifest claims of it. A claim that cannot be true is
//! refused before anything is unpacked, and nothing is unpacked beyond a claim.

use std::io::{self, BufRead, Read, Take};

/// The most bytes of a segment, packed or unpacked.
pub const MAX_BYTES: u64 = 1 << 30;

/// The most bytes of a line: a box in base64, and some more.
pub const MAX_LINE: u64 = 64 << 20;

/// The most bytes of a manifest.
pub const MAX_MANIFEST: u64 = 64 << 20;

/// A line has more bytes than this: the names of its fields and its ids have.
const MIN_LINE: u64 = 128;

/// Ids, hashes and signatures do not compress. Packed bytes become at most so many, but for the first mebibyte.
const MAX_RATIO: u64 = 1_024;

/// What a manifest says of a segment.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// Its first and last position.
    pub positions: (u64, u64),
    /// The numbers of its first and last commit.
    pub commits: (u64, u64),
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes of the lines.
    pub plain_bytes: u64,
}

impl Claim {
    /// How many lines the segment has: one an event, and one a commit.
    #[must_use]
    pub fn lines(&self) -> u64 {
        let count = |(first, last): (u64, u64)| last.saturating_sub(first).saturating_add(1);
        count(self.positions).saturating_add(count(self.commits))
    }

    /// Why no segment is as it is claimed, if none is.
    #[must_use]
    pub fn refusal(&self) -> Option<String> {
        let Self { bytes, plain_bytes, .. } = *self;
        if bytes.max(plain_bytes) > MAX_BYTES {
            return Some(format!(
                "it has {bytes} bytes and is unpacked to {plain_bytes}; more than {MAX_BYTES} are not read"
            ));
        }
        if plain_bytes > (1 << 20) + bytes.saturating_mul(MAX_RATIO) {
            return Some(format!("no segment of {bytes} bytes is unpacked to {plain_bytes}"));
        }
        let lines = self.lines();
        (lines.saturating_mul(MIN_LINE) > plain_bytes)
            .then(|| format!("{plain_bytes} bytes are fewer than its {lines} events and commits have"))
    }
}

/// The lines of a segment as they are unpacked: those of its first frame, up to one byte more than is claimed.
pub struct Frame<'a, R: BufRead>(Take<zstd::Decoder<'a, R>>);

impl<R: BufRead> Frame<'_, R> {
    /// Those of the frame with which `packed` begins.
    ///
    /// # Errors
    ///
    /// If there is no memory to unpack it.
    pub fn new(packed: R, plain_bytes: u64) -> io::Result<Self> {
        let decoder = zstd::Decoder::with_buffer(packed)?.single_frame();
        Ok(Self(decoder.take(plain_bytes.saturating_add(1))))
    }

    /// Reads what is left of the packed bytes without unpacking it; answers how many there were, and where they came
    /// from.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    pub fn rest(self) -> io::Result<(u64, R)> {
        let mut packed = self.0.into_inner().finish();
        Ok((io::copy(&mut packed, &mut io::sink())?, packed))
    }
}

impl<R: BufRead> Read for Frame<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "a test")]
mod tests {
    use super::*;

    const CLAIM: Claim = Claim { positions: (1, 100), commits: (1, 10), bytes: 8_000, plain_bytes: 60_000 };

    fn refusal(change: impl FnOnce(&mut Claim)) -> String {
        let mut claim = CLAIM;
        change(&mut claim);
        claim.refusal().unwrap_or_default()
    }

    #[test]
    fn a_claim_that_cannot_be_true_is_refused() {
        assert_eq!((CLAIM.lines(), refusal(|_| {})), (110, String::new()));
        assert!(refusal(|claim| claim.bytes = MAX_BYTES + 1).contains("are not read"));
        assert!(refusal(|claim| claim.plain_bytes = MAX_BYTES).contains("is unpacked to"));
        assert!(refusal(|claim| claim.positions = (1, u64::MAX)).contains("are fewer than its"));
    }

    #[test]
    fn bytes_behind_the_frame_are_counted() {
        let frame = zstd::encode_all(&b"one\n"[..], 3).expect("packs");
        for (rest, claimed, plain) in
            [(&b""[..], 4, "one\n"), (b"tail", 4, "one\n"), (&frame, 4, "one\n"), (b"", 1, "on")]
        {
            let packed = [&frame, rest].concat();
            let mut unpacked = Frame::new(packed.as_slice(), claimed).expect("begins");
            let mut text = String::new();
            unpacked.read_to_string(&mut text).expect("unpacks");
            assert_eq!(text, plain);
            if claimed == 4 {
                assert_eq!(unpacked.rest().expect("is read").0, rest.len() as u64);
            }
        }
    }
}
