//! Sealed boxes: text of one subject, readable only with that subject's key.
//!
//! Layout: version (1 byte) ‖ nonce (24 bytes) ‖ ciphertext and tag of XChaCha20-Poly1305. The box's id, its class and
//! its subject are authenticated with the text, so a box that is moved to another place does not open. This module does
//! not know the contents of boxes.

use std::fmt;
use std::sync::Arc;

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use uuid::Uuid;

use crate::key::NONCE_LENGTH;
use crate::opened_box_cache::{OpenedBoxCache, SharedCapacity};
use crate::{Class, Error};

/// Version of the only layout.
const VERSION: u8 = 1;

/// Opened keys of a subject, which seal and open boxes without I/O. Clones are cheap; the last clone wipes the keys.
#[derive(Clone)]
pub struct SubjectKeys(Arc<Opened>);

struct Opened {
    subject: Uuid,
    /// Ciphers in the order of [`Class::ALL`]. A cipher wipes its key when it is dropped.
    ciphers: [Option<XChaCha20Poly1305>; Class::ALL.len()],
    remembered: OpenedBoxCache,
}

impl SubjectKeys {
    /// Creates the keys. The cache of their box contents takes its places from `room`.
    pub(crate) fn new(
        subject: Uuid,
        keys: impl IntoIterator<Item = (Class, XChaCha20Poly1305)>,
        room: &SharedCapacity,
    ) -> Self {
        let mut ciphers = Class::ALL.map(|_| None);
        for (class, cipher) in keys {
            ciphers[slot(class)] = Some(cipher);
        }
        Self(Arc::new(Opened { subject, ciphers, remembered: OpenedBoxCache::new(room.clone()) }))
    }

    /// Returns the subject of the keys.
    #[must_use]
    pub fn subject(&self) -> Uuid {
        self.0.subject
    }

    /// Seals `plain` in the box `box_id`. `nonce` has to be random and must never be used twice. Version, nonce and tag
    /// make the box 41 bytes longer than the text.
    ///
    /// # Errors
    ///
    /// [`Error::NoKey`] if the subject has no key of `class`, [`Error::TooLong`] beyond 256 GiB.
    pub fn seal(
        &self,
        class: Class,
        box_id: Uuid,
        nonce: [u8; NONCE_LENGTH],
        plain: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let aad = self.aad(class, box_id);
        let payload = Payload { msg: plain, aad: &aad };
        let sealed =
            self.cipher(class)?.encrypt(&XNonce::from(nonce), payload).map_err(|_| Error::TooLong)?;
        Ok([[VERSION].as_slice(), &nonce, &sealed].concat())
    }

    /// Opens the box `box_id`.
    ///
    /// # Errors
    ///
    /// [`Error::Unopened`] if it was changed or belongs elsewhere, [`Error::UnknownLayout`] if it is not a box,
    /// [`Error::NoKey`] if the subject has no key of `class`.
    pub fn open(&self, class: Class, box_id: Uuid, sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let Some((&VERSION, rest)) = sealed.split_first() else { return Err(Error::UnknownLayout) };
        let (nonce, text) = rest.split_first_chunk::<NONCE_LENGTH>().ok_or(Error::UnknownLayout)?;
        let aad = self.aad(class, box_id);
        let payload = Payload { msg: text, aad: &aad };
        self.cipher(class)?.decrypt(&XNonce::from(*nonce), payload).map_err(|_| Error::Unopened)
    }

    /// Opens the box `box_id` and decodes it with `read`. The result is cached as long as these keys live, for the few
    /// boxes of a subject that are opened again and again.
    ///
    /// # Errors
    ///
    /// Errors of [`SubjectKeys::open`] and of `read`.
    pub fn open_cached<T, E>(
        &self,
        class: Class,
        box_id: Uuid,
        sealed: &Arc<[u8]>,
        read: impl FnOnce(&[u8]) -> Result<T, E>,
    ) -> Result<Arc<T>, E>
    where
        T: Send + Sync + 'static,
        E: From<Error>,
    {
        if let Some(held) = self.0.remembered.find(class, box_id, sealed) {
            return Ok(held);
        }
        let held = Arc::new(read(&self.open(class, box_id, sealed)?)?);
        self.0.remembered.keep(class, box_id, sealed, &held);
        Ok(held)
    }

    fn cipher(&self, class: Class) -> Result<&XChaCha20Poly1305, Error> {
        self.0.ciphers[slot(class)].as_ref().ok_or(Error::NoKey(class))
    }

    /// Returns the authenticated data: box id ‖ class ‖ subject, each of fixed length.
    fn aad(&self, class: Class, box_id: Uuid) -> [u8; 34] {
        let mut aad = [0; 34];
        aad[..16].copy_from_slice(box_id.as_bytes());
        aad[16..18].copy_from_slice(&class.number().to_be_bytes());
        aad[18..].copy_from_slice(self.0.subject.as_bytes());
        aad
    }
}

impl fmt::Debug for SubjectKeys {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "SubjectKeys({}, redacted)", self.0.subject)
    }
}

fn slot(class: Class) -> usize {
    match class {
        Class::Profile => 0,
        Class::Document => 1,
    }
}

#[cfg(test)]
mod tests {
    use chacha20poly1305::KeyInit;

    use super::*;

    const BOX: Uuid = Uuid::from_u128(0xb0);
    const SUBJECT: Uuid = Uuid::from_u128(0x51);
    const NONCE: [u8; NONCE_LENGTH] = [7; NONCE_LENGTH];

    fn keys_of(subject: Uuid) -> SubjectKeys {
        let cipher = XChaCha20Poly1305::new(&[42; 32].into());
        SubjectKeys::new(subject, Class::ALL.map(|class| (class, cipher.clone())), &SharedCapacity::default())
    }

    fn sealed(plain: &[u8]) -> Vec<u8> {
        keys_of(SUBJECT).seal(Class::Profile, BOX, NONCE, plain).unwrap()
    }

    #[test]
    fn sealed_box_opens() {
        for plain in [b"".as_slice(), b"Maria", &[0; 4096]] {
            let sealed = sealed(plain);
            assert_eq!(sealed.len(), plain.len() + 41);
            assert_eq!(keys_of(SUBJECT).open(Class::Profile, BOX, &sealed).unwrap(), plain);
        }
    }

    // All keys are the same here, so only the authenticated data distinguish the boxes.
    #[test]
    fn moved_box_does_not_open() {
        let sealed = sealed(b"Maria");
        let other = Uuid::from_u128(0xff);
        assert!(matches!(keys_of(SUBJECT).open(Class::Profile, other, &sealed), Err(Error::Unopened)));
        assert!(matches!(keys_of(SUBJECT).open(Class::Document, BOX, &sealed), Err(Error::Unopened)));
        assert!(matches!(keys_of(other).open(Class::Profile, BOX, &sealed), Err(Error::Unopened)));
    }

    #[test]
    fn box_with_changed_bit_does_not_open() {
        let sealed = sealed(b"Maria");
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(keys_of(SUBJECT).open(Class::Profile, BOX, &changed).is_err(), "byte {at}");
        }
    }

    #[test]
    fn truncated_box_does_not_open() {
        let sealed = sealed(b"Maria");
        for length in 0..sealed.len() {
            assert!(keys_of(SUBJECT).open(Class::Profile, BOX, &sealed[..length]).is_err(), "{length} bytes");
        }
    }

    // The bytes were computed without this crate: HChaCha20 by hand, then ChaCha20-Poly1305 of OpenSSL.
    #[test]
    fn box_layout_is_stable() {
        let text_and_tag = [
            0x8e, 0x8d, 0x27, 0xcd, 0x9c, 0xa3, 0x30, 0x68, 0xda, 0x90, 0x22, 0xac, 0x64, 0x62, 0x0e, 0x39,
            0x34, 0x51, 0xe0, 0x45, 0x51,
        ];
        assert_eq!(sealed(b"Maria"), [[1].as_slice(), &[7; 24], &text_and_tag].concat());
    }

    #[test]
    fn recall_opens_once_and_refuses_changed_boxes() {
        let (keys, sealed) = (keys_of(SUBJECT), sealed(b"Maria"));
        let open_cached = |sealed: &[u8]| {
            let mut times = 0;
            let read = |plain: &[u8]| {
                times += 1;
                Ok::<_, Error>(plain.to_vec())
            };
            let held = keys.open_cached(Class::Profile, BOX, &sealed.into(), read).map(|held| held.to_vec());
            (held.ok(), times)
        };
        assert_eq!(open_cached(&sealed), (Some(b"Maria".to_vec()), 1));
        assert_eq!(open_cached(&sealed), (Some(b"Maria".to_vec()), 0));
        let mut changed = sealed.clone();
        changed[30] ^= 1;
        assert_eq!(open_cached(&changed), (None, 0));
        assert_eq!(open_cached(&sealed), (Some(b"Maria".to_vec()), 0));
    }

    #[test]
    fn sealing_needs_a_key_of_the_class() {
        let cipher = XChaCha20Poly1305::new(&[42; 32].into());
        let keys = SubjectKeys::new(SUBJECT, [(Class::Profile, cipher)], &SharedCapacity::default());
        let answer = keys.seal(Class::Document, BOX, NONCE, b"123-45-2222");
        assert!(matches!(answer, Err(Error::NoKey(Class::Document))));
    }

    #[test]
    fn keys_are_not_printed() {
        let printed = format!("{:?}", keys_of(SUBJECT));
        assert_eq!(printed, format!("SubjectKeys({SUBJECT}, redacted)"));
    }
}
