//! Words between `«` and `»` in the tables, for bytes that a table cannot contain or that would be too long.

use crate::town::Ids;

/// Expands the words of `text`. `good` is a valid body and the maximum body size of the call in bytes.
///
/// |   |   |
/// |---|---|
/// | `«bytes ff fe»` | these bytes |
/// | `«repeat 1001 x»` | the text after the number, repeated |
/// | `«nest 20000 [|]»` | the first part repeated, then the second part repeated |
/// | `«good»`, `«good more»` | the valid body; the valid body with blanks after it, one byte too large |
/// | `«chunks 20 65536»` | a chunked body with this number of chunks of this length |
/// | `«lower user_id»` | an id in lower case |
pub(super) fn expand(text: &str, good: (&str, usize), ids: &Ids) -> Vec<u8> {
    let mut parts = text.split('«');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (word, rest) = part.split_once('»').unwrap_or_else(|| panic!("a word without an end: {text}"));
        bytes.extend(mean(word, good, ids));
        bytes.extend_from_slice(rest.as_bytes());
    }
    bytes
}

fn mean(word: &str, good: (&str, usize), ids: &Ids) -> Vec<u8> {
    let (name, rest) = word.split_once(' ').unwrap_or((word, ""));
    let (count, what) = rest.split_once(' ').unwrap_or((rest, ""));
    let count: usize = count.parse().unwrap_or_default();
    match name {
        "bytes" => rest.split(' ').map(|byte| u8::from_str_radix(byte, 16).expect("a byte")).collect(),
        "repeat" => what.repeat(count).into_bytes(),
        "nest" => {
            let (open, close) = what.split_once('|').expect("what is opened and what is closed");
            (open.repeat(count) + &close.repeat(count)).into_bytes()
        }
        "good" if rest == "more" => padded(good.0, good.1 + 1).into_bytes(),
        "good" => good.0.as_bytes().to_vec(),
        "chunks" => {
            let length = what.parse().expect("a length");
            let chunk = format!("{length:x}\r\n{}\r\n", "x".repeat(length));
            (chunk.repeat(count) + "0\r\n\r\n").into_bytes()
        }
        "lower" => ids[rest].to_lowercase().into_bytes(),
        _ => panic!("an unknown word: {word}"),
    }
}

/// Pads a text with blanks to `length` bytes.
pub(crate) fn padded(text: &str, length: usize) -> String {
    text.to_owned() + &" ".repeat(length - text.len())
}
