//! Letters of a file.

/// Encoding of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Letters {
    /// The whole file is valid UTF-8.
    Utf8,
    /// ISO-8859-1: each byte is the letter with its number.
    Latin1,
}

impl Letters {
    /// Encoding of the file. An ISO-8859-1 text with letters beyond ASCII is practically never valid UTF-8: it would
    /// have pairs such as `Ã¼` only.
    pub(super) fn of(bytes: &[u8]) -> Self {
        if std::str::from_utf8(bytes).is_ok() { Self::Utf8 } else { Self::Latin1 }
    }

    /// Returns the bytes as text.
    pub(super) fn decode(self, bytes: &[u8]) -> String {
        match self {
            Self::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
            Self::Latin1 => bytes.iter().copied().map(char::from).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_utf8_or_single_bytes() {
        for (bytes, letters, text) in [
            (&b"M\xfcller"[..], Letters::Latin1, "Müller"),
            ("Müller".as_bytes(), Letters::Utf8, "Müller"),
            (b"Mueller", Letters::Utf8, "Mueller"),
            (b"\xa4\xff", Letters::Latin1, "¤ÿ"),
        ] {
            assert_eq!(Letters::of(bytes), letters);
            assert_eq!(letters.decode(bytes), text);
        }
    }
}
