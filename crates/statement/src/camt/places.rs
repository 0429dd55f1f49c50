//! Places of a decoded text in its file.

use super::encoding::Decoded;

/// Places of a text in its file. They are asked for in ascending order.
pub(super) struct Places<'a> {
    text: &'a str,
    /// Offset of the text in the file.
    base: usize,
    is_single_byte: bool,
    /// Place up to which letters are counted.
    at: usize,
    /// Number of letters before it.
    letters: usize,
}

impl<'a> Places<'a> {
    /// Places of a text in the file that begins at `base`.
    pub(super) fn new(decoded: &'a Decoded<'_>, base: usize) -> Self {
        let Decoded { text, skipped, is_single_byte } = decoded;
        Self { text, base: base + skipped, is_single_byte: *is_single_byte, at: 0, letters: 0 }
    }

    /// Offset of the text in the file.
    pub(super) fn base(&self) -> usize {
        self.base
    }

    /// Offset in the file of a place in the text.
    pub(super) fn of(&mut self, position: u64) -> usize {
        let position = usize::try_from(position).unwrap_or(usize::MAX).min(self.text.len());
        if !self.is_single_byte {
            return self.base + position;
        }
        self.letters += self.text.get(self.at..position).map_or(0, |text| text.chars().count());
        self.at = self.at.max(position);
        self.base + self.letters
    }

    /// Text from a place on.
    pub(super) fn rest(&self, position: u64) -> &str {
        usize::try_from(position).ok().and_then(|position| self.text.get(position..)).unwrap_or_default()
    }
}
