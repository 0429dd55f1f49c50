//! Ids, hashes and bytes as text. Each value has exactly one text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use uuid::Uuid;

/// An id as `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, in lower case.
#[derive(Clone, Copy)]
pub(crate) struct Id(pub(crate) [u8; 16]);

/// SHA-256 in base64 with padding.
#[derive(Clone, Copy)]
pub(crate) struct Hash(pub(crate) [u8; 32]);

/// Bytes in base64 with padding.
#[derive(Clone)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

/// Converts a list of hashes to the form that proofs take.
pub(crate) fn hashes(hashes: &[Hash]) -> Vec<[u8; 32]> {
    hashes.iter().map(|hash| hash.0).collect()
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Uuid::from_bytes(self.0))
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let id = text.parse().ok().filter(|id: &Uuid| id.to_string() == text);
        id.map(|id| Self(id.into_bytes())).ok_or_else(|| de::Error::custom("not an id as it is written here"))
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(self.0))
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = Bytes::deserialize(deserializer)?.0;
        bytes.try_into().map(Self).map_err(|_| de::Error::custom("not 32 bytes"))
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        STANDARD.decode(String::deserialize(deserializer)?).map(Self).map_err(de::Error::custom)
    }
}
