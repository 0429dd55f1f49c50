//! Sealed boxes: personal data as ciphertext (envelope encryption). The domain carries boxes and cannot open them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::id::BoxId;
use crate::text;

/// Ciphertext about one subject. The event that carries the box has the box's id.
#[derive(Clone, PartialEq, Eq)]
pub struct Sealed {
    /// Id of the box. It is authenticated with the ciphertext, so that boxes cannot be swapped.
    pub id: BoxId,
    /// Opaque bytes, copied unchanged.
    pub bytes: Arc<[u8]>,
}

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealed({}, {} bytes)", self.id, self.bytes.len())
    }
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Writes the box for a row of a read model: `<id>:<bytes in hex>`. Events keep their box in a separate column.
impl Serialize for Sealed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::with_capacity(27 + 2 * self.bytes.len());
        text.push_str(&self.id.to_string());
        text.push(':');
        for byte in self.bytes.iter() {
            text.push(char::from(DIGITS[usize::from(byte >> 4)]));
            text.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Sealed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::deserialize(deserializer, |text| parse(text).ok_or("not a sealed box"))
    }
}

fn parse(text: &str) -> Option<Sealed> {
    let (id, hex) = text.split_once(':')?;
    let nibble = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let bytes = hex
        .as_bytes()
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => Some(nibble(*high)? << 4 | nibble(*low)?),
            _ => None,
        })
        .collect::<Option<Arc<[u8]>>>()?;
    Some(Sealed { id: id.parse().ok()?, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_box_reads_back_from_row() {
        let sealed = Sealed { id: BoxId::from_u128(9), bytes: Arc::from([0, 1, 0xab, 0xff].as_slice()) };
        let text = serde_json::to_string(&sealed).expect("serializes");
        assert_eq!(serde_json::from_str::<Sealed>(&text).expect("parses"), sealed);
    }

    #[test]
    fn half_a_byte_is_no_box() {
        assert!(serde_json::from_str::<Sealed>("\"00000000000000000000000009:abc\"").is_err());
    }
}
