//! Words between `«` and `»`: what cannot be written into a table, or only at great length.

use crate::town::Ids;

/// `text` with what its words mean. `good` is a body that is all right, and of which the call takes so many bytes.
///
/// | | |
/// |---|---|
/// | `«bytes ff fe»` | these bytes |
/// | `«repeat 1001 x»` | the text after the number, so often |
/// | `«nest 20000 [|]»` | the first part so often, then the second so often |
/// | `«good»`, `«good more»` | the good body; with so many blanks after it that it is too large by one byte |
/// | `«chunks 20 65536»` | a body in so many chunks of this length |
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

/// A text with blanks after it, so many bytes together.
pub(crate) fn padded(text: &str, length: usize) -> String {
    text.to_owned() + &" ".repeat(length - text.len())
}
