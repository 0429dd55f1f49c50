//! Segments of a bundle: each is one zstd frame of lines, described by a claim in the manifest. An impossible claim is
//! refused before anything is unpacked. Nothing is unpacked beyond the claimed size.

use std::io::{self, BufRead, Read, Take};

/// Maximum bytes of a segment, packed or unpacked: 1 GiB.
pub const MAX_BYTES: u64 = 1 << 30;

/// Maximum bytes of a line, 64 MiB: a sealed box in base64, with some room to spare.
pub const MAX_LINE_BYTES: u64 = 64 << 20;

/// Maximum bytes of a manifest: 64 MiB.
pub const MAX_MANIFEST_BYTES: u64 = 64 << 20;

/// Minimum bytes of a line. The field names and ids alone take more than this.
const MIN_LINE_BYTES: u64 = 128;

/// Maximum compression ratio beyond the first mebibyte. Ids, hashes and signatures do not compress, so an honest
/// segment stays below it.
const MAX_COMPRESSION_RATIO: u64 = 1_024;

/// Claim of a manifest about one segment.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// First and last log position.
    pub positions: (u64, u64),
    /// Numbers of the first and last commit.
    pub commits: (u64, u64),
    /// Bytes of the packed file.
    pub bytes: u64,
    /// Bytes of the unpacked lines.
    pub plain_bytes: u64,
}

impl Claim {
    /// Number of lines in the segment: one for each event and one for each commit.
    #[must_use]
    pub fn lines(&self) -> u64 {
        let count = |(first, last): (u64, u64)| last.saturating_sub(first).saturating_add(1);
        count(self.positions).saturating_add(count(self.commits))
    }

    /// Returns the reason why no segment can satisfy this claim, or `None` if one can.
    #[must_use]
    pub fn refusal(&self) -> Option<String> {
        let Self { bytes, plain_bytes, .. } = *self;
        if bytes.max(plain_bytes) > MAX_BYTES {
            return Some(format!(
                "it has {bytes} bytes and is unpacked to {plain_bytes}; more than {MAX_BYTES} are not read"
            ));
        }
        if plain_bytes > (1 << 20) + bytes.saturating_mul(MAX_COMPRESSION_RATIO) {
            return Some(format!("no segment of {bytes} bytes is unpacked to {plain_bytes}"));
        }
        let lines = self.lines();
        (lines.saturating_mul(MIN_LINE_BYTES) > plain_bytes)
            .then(|| format!("{plain_bytes} bytes are fewer than its {lines} events and commits have"))
    }
}

/// Reader of the unpacked lines of a segment. It reads the first zstd frame only, and at most one byte more than
/// claimed.
pub struct Frame<'a, R: BufRead>(Take<zstd::Decoder<'a, R>>);

impl<R: BufRead> Frame<'_, R> {
    /// Starts to unpack the frame at the beginning of `packed`.
    ///
    /// # Errors
    ///
    /// Fails if the decoder cannot allocate its memory.
    pub fn new(packed: R, plain_bytes: u64) -> io::Result<Self> {
        let decoder = zstd::Decoder::with_buffer(packed)?.single_frame();
        Ok(Self(decoder.take(plain_bytes.saturating_add(1))))
    }

    /// Reads the remaining packed bytes without unpacking them. Returns their number and the underlying reader.
    ///
    /// # Errors
    ///
    /// Fails if the packed bytes cannot be read.
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
    fn impossible_claim_is_refused() {
        assert_eq!((CLAIM.lines(), refusal(|_| {})), (110, String::new()));
        assert!(refusal(|claim| claim.bytes = MAX_BYTES + 1).contains("are not read"));
        assert!(refusal(|claim| claim.plain_bytes = MAX_BYTES).contains("is unpacked to"));
        assert!(refusal(|claim| claim.positions = (1, u64::MAX)).contains("are fewer than its"));
    }

    #[test]
    fn bytes_behind_frame_are_counted() {
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
