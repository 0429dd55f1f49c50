//! Place in a file: the line of a byte.

/// Number of the line that contains the byte, from 1.
pub(crate) fn line_of(bytes: &[u8], byte: usize) -> usize {
    let before = bytes.get(..byte).unwrap_or(bytes);
    before.split(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_from_one() {
        assert_eq!([0, 1, 2, 99].map(|byte| line_of(b"a\nb\n", byte)), [1, 1, 2, 3]);
    }
}
