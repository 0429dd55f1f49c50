//! Cursor of the event feed: a reader's place, valid for one log only.

use daybook_domain::PlatformId;
use sha2::{Digest, Sha256};

/// Domain separator of the hash, which distinguishes it from all other hashes of Daybook.
const DOMAIN: &[u8] = b"daybook/feed-cursor/v1";
/// Prefix of a cursor as text.
const PREFIX: &str = "cursor_";

/// Place of a reader in the feed. The cursor is bound to the event at its position. Another log does not contain this
/// event, and neither does this log if it was restored and continued differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Position up to which the log was read.
    pub position: u64,
    check: [u8; 8],
}

impl Cursor {
    /// Makes the cursor of `platform`'s reader after the event `event_id` at `position`. Position 0 is the beginning.
    #[must_use]
    pub fn behind(platform: PlatformId, position: u64, event_id: u128) -> Self {
        let hash = Sha256::new()
            .chain_update(DOMAIN)
            .chain_update(platform.as_u128().to_be_bytes())
            .chain_update(position.to_be_bytes())
            .chain_update(event_id.to_be_bytes())
            .finalize();
        let mut check = [0; 8];
        check.copy_from_slice(&hash[..8]);
        Self { position, check }
    }

    /// Parses a cursor; returns `None` if the text is not one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 16];
        hex::decode_to_slice(text.strip_prefix(PREFIX)?, &mut bytes).ok()?;
        let (position, check) = bytes.split_at(8);
        Some(Self { position: u64::from_be_bytes(position.try_into().ok()?), check: check.try_into().ok()? })
    }

    /// Returns the cursor as text: `cursor_` and 32 hexadecimal digits.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{PREFIX}{:016x}{}", self.position, hex::encode(self.check))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLATFORM: PlatformId = PlatformId::from_u128(7);

    #[test]
    fn cursor_text_parses_back() {
        for (position, event_id) in [(0, 0), (1, 5), (u64::MAX, u128::MAX)] {
            let cursor = Cursor::behind(PLATFORM, position, event_id);
            assert_eq!(Cursor::parse(&cursor.text()), Some(cursor));
        }
    }

    #[test]
    fn cursor_is_bound_to_platform_and_event() {
        let cursor = Cursor::behind(PLATFORM, 5, 9);
        assert_eq!(cursor.text(), "cursor_0000000000000005606289987de898a8");
        for other in [
            Cursor::behind(PlatformId::from_u128(8), 5, 9),
            Cursor::behind(PLATFORM, 5, 10),
            Cursor { position: 6, ..cursor },
        ] {
            assert_ne!(cursor, other);
        }
    }

    #[test]
    fn invalid_cursor_text_is_refused() {
        let text = Cursor::behind(PLATFORM, 5, 9).text();
        for odd in ["", "5", "cursor_", &text[7..], &text[..38], &format!("{text}a"), &text.replace('0', "é")]
        {
            assert_eq!(Cursor::parse(odd), None, "{odd}");
        }
    }
}
