//! Nesting depth of a JSON text, computed without parsing.

/// Maximum nesting depth that is accepted.
pub(super) const MAX: usize = 128;

/// Returns true if `json` nests more than `max` arrays and objects. For a text that is not JSON the result has no
/// meaning; the parser rejects it later.
pub(super) fn exceeds(json: &[u8], max: usize) -> bool {
    let mut depth = 0_usize;
    let mut bytes = json.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => {
                depth += 1;
                if depth > max {
                    return true;
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => skip_string(&mut bytes),
            _ => {}
        }
    }
    false
}

/// Advances past the end of a string whose opening quote was read.
fn skip_string(bytes: &mut std::slice::Iter<'_, u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_brackets_outside_of_strings_count() {
        let table = [
            ("1", 0),
            ("[]", 1),
            (r#"{"a": [1, {"b": []}]}"#, 4),
            (r#"["[[[[", "\"[[[[", "\\"]"#, 1),
            ("[[], [], []]", 2),
            ("]]]]", 0),
            ("\"[[[", 0),
        ];
        for (json, depth) in table {
            assert!(!exceeds(json.as_bytes(), depth), "{json}");
            assert!(depth == 0 || exceeds(json.as_bytes(), depth - 1), "{json}");
        }
    }
}
