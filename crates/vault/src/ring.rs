//! Keyring: the master keys that a process holds. The first one wraps and any of them unwraps, so the master key can be
//! changed while the service runs.

use chacha20poly1305::{KeyInit, XChaCha20Poly1305};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::key::{KEY_LENGTH, WrappingKey, data_key};
use crate::{Class, Entropy, Error, MasterKey};

/// Master keys: the one that wraps, and others under which stored keys may still be wrapped.
pub struct MasterKeys {
    pub(crate) first: MasterKey,
    pub(crate) others: Vec<MasterKey>,
}

impl MasterKeys {
    /// Creates a keyring. `first` wraps, and all keys unwrap.
    #[must_use]
    pub fn new(first: MasterKey, others: Vec<MasterKey>) -> Self {
        Self { first, others }
    }

    /// Returns the keyring with `first` added in front: it wraps, and all keys unwrap.
    #[must_use]
    pub fn behind(self, first: MasterKey) -> Self {
        let others = std::iter::once(self.first).chain(self.others).collect();
        Self { first, others }
    }
}

impl From<MasterKey> for MasterKeys {
    fn from(first: MasterKey) -> Self {
        Self::new(first, vec![])
    }
}

/// Wrapping keys. The first one wraps.
pub(crate) struct Ring {
    first: WrappingKey,
    others: Vec<WrappingKey>,
}

impl Ring {
    pub(crate) fn new(masters: &MasterKeys) -> Self {
        let others = masters.others.iter().map(WrappingKey::new).collect();
        Self { first: WrappingKey::new(&masters.first), others }
    }

    /// Returns the key that wraps.
    pub(crate) fn first(&self) -> &WrappingKey {
        &self.first
    }

    /// Generates a new data key and wraps it.
    pub(crate) fn generate(
        &self,
        shard: i16,
        subject: Uuid,
        class: Class,
        entropy: &Entropy<'_>,
    ) -> Result<Vec<u8>, Error> {
        let mut key = Zeroizing::new([0; KEY_LENGTH]);
        entropy(key.as_mut_slice());
        self.first.wrap(&data_key(shard, subject, class), key.as_slice(), entropy)
    }

    /// Unwraps a key with the master key under which it was wrapped.
    pub(crate) fn unwrap(&self, purpose: &[u8], wrapped: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        std::iter::once(&self.first).chain(&self.others).find_map(|key| key.unwrap(purpose, wrapped))
    }

    /// Unwraps a stored data key.
    pub(crate) fn open(
        &self,
        shard: i16,
        subject: Uuid,
        class: Class,
        wrapped: &[u8],
    ) -> Result<XChaCha20Poly1305, Error> {
        let failed = || Error::Unwrapped { subject };
        let key = self.unwrap(&data_key(shard, subject, class), wrapped).ok_or_else(failed)?;
        XChaCha20Poly1305::new_from_slice(&key).map_err(|_| failed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUBJECT: Uuid = Uuid::from_u128(0x51);

    fn ring(first: u8, others: &[u8]) -> Ring {
        let key = |byte: &u8| MasterKey::from_bytes([*byte; KEY_LENGTH]);
        Ring::new(&MasterKeys::new(key(&first), others.iter().map(key).collect()))
    }

    #[test]
    fn wrapped_key_opens_only_for_its_purpose() {
        let seven = ring(7, &[]);
        let wrapped = seven.generate(1, SUBJECT, Class::Profile, &|bytes| bytes.fill(1)).expect("wraps");
        assert_eq!(wrapped.len(), 24 + KEY_LENGTH + 16);
        assert!(seven.open(1, SUBJECT, Class::Profile, &wrapped).is_ok());
        let elsewhere = [
            seven.open(2, SUBJECT, Class::Profile, &wrapped),
            seven.open(1, Uuid::from_u128(0xff), Class::Profile, &wrapped),
            seven.open(1, SUBJECT, Class::Document, &wrapped),
            seven.open(1, SUBJECT, Class::Profile, &wrapped[..20]),
            ring(8, &[]).open(1, SUBJECT, Class::Profile, &wrapped),
        ];
        for answer in elsewhere {
            assert!(matches!(answer, Err(Error::Unwrapped { .. })));
        }
    }

    #[test]
    fn first_key_wraps_any_key_unwraps() {
        let wrapped =
            ring(7, &[]).generate(1, SUBJECT, Class::Profile, &|bytes| bytes.fill(1)).expect("wraps");
        assert!(ring(8, &[9, 7]).open(1, SUBJECT, Class::Profile, &wrapped).is_ok());
        assert!(ring(8, &[9]).open(1, SUBJECT, Class::Profile, &wrapped).is_err());
        assert_eq!(ring(8, &[7]).first().name(), ring(8, &[]).first().name());
        assert_ne!(ring(8, &[7]).first().name(), ring(7, &[]).first().name());
    }
}
