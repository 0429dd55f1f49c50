//! Named Ed25519 keys in the text forms of C2SP signed-note, and their signatures.

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use core::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};

use crate::error::Error;

/// Type byte of Ed25519 signatures, the only type that this crate makes and verifies.
const ED25519: u8 = 1;

/// Prefix of the text form of a secret key.
const SECRET: &str = "PRIVATE+KEY+";

/// A named public key that verifies signatures. Its text form is `<name>+<id>+<base64>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    name: String,
    id: [u8; 4],
    public: VerifyingKey,
}

impl Key {
    /// Creates a key from 32 bytes. Fails if the name is empty or has a space, a plus or a control character, or if the
    /// bytes are not a valid key.
    pub fn new(name: &str, public: &[u8; 32]) -> Result<Self, Error> {
        if !is_name(name) {
            return Err(Error::Malformed("the name of a key"));
        }
        let key = VerifyingKey::from_bytes(public).ok().filter(|key| !key.is_weak());
        let key = key.ok_or(Error::Malformed("an Ed25519 key"))?;
        let digest = Sha256::new_with_prefix(name).chain_update([b'\n', ED25519]).chain_update(public);
        let [a, b, c, d, ..] = <[u8; 32]>::from(digest.finalize());
        Ok(Self { name: name.to_owned(), id: [a, b, c, d], public: key })
    }

    /// Parses the text form.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let malformed = Error::Malformed("a public key");
        let name = text.split('+').next().unwrap_or_default();
        let encoded = text.splitn(3, '+').nth(2).ok_or(malformed)?;
        let public = decode_key(encoded).ok_or(malformed)?;
        let key = Self::new(name, &public)?;
        if key.text() == text { Ok(key) } else { Err(malformed) }
    }

    /// Returns the text form, which verifiers are given.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}+{:08x}+{}", self.name, u32::from_be_bytes(self.id), encode_key(self.public.as_bytes()))
    }

    /// Returns the name of the key. The name of the log's own key is the origin.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the id: the first four bytes of a SHA-256 over name and key. It distinguishes keys and proves nothing.
    #[must_use]
    pub fn id(&self) -> [u8; 4] {
        self.id
    }

    /// Returns the key with another name, and therefore with another id. Fails as [`Key::new`].
    pub fn renamed(&self, name: &str) -> Result<Self, Error> {
        Self::new(name, self.public.as_bytes())
    }

    /// Verifies that this key signed `message`.
    pub fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), Error> {
        if signature.key_id != self.id {
            return Err(Error::UnknownKey);
        }
        let signature = ed25519_dalek::Signature::from_bytes(&signature.bytes);
        self.public.verify_strict(message, &signature).map_err(|_| Error::Signature)
    }
}

/// Verifies that one of `keys` with this name signed `message`.
pub(crate) fn verify(keys: &[Key], name: &str, message: &[u8], signature: &Signature) -> Result<(), Error> {
    let known = keys.iter().find(|key| key.name == name && key.id == signature.key_id);
    known.ok_or(Error::UnknownKey)?.verify(message, signature)
}

/// A signature with the id of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Id of the key.
    pub key_id: [u8; 4],
    /// Ed25519 signature (RFC 8032).
    pub bytes: [u8; 64],
}

impl Signature {
    /// Parses the bytes of [`Signature::to_bytes`]; `None` unless there are 68.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (key_id, signature) = bytes.split_first_chunk()?;
        Some(Self { key_id: *key_id, bytes: signature.try_into().ok()? })
    }

    /// Returns key id and signature as 68 bytes. They are stored like this and, in base64, appear in a note.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 68] {
        let mut bytes = [0; 68];
        let (id, signature) = bytes.split_at_mut(4);
        id.copy_from_slice(&self.key_id);
        signature.copy_from_slice(&self.bytes);
        bytes
    }
}

/// A named secret key. Its text form is `PRIVATE+KEY+<name>+<id>+<base64>`. The key is wiped from memory when it is
/// dropped.
#[derive(Clone)]
pub struct Signer {
    public: Key,
    secret: SigningKey,
}

impl Signer {
    /// Creates the key from a seed of 32 random bytes.
    pub fn new(name: &str, seed: &[u8; 32]) -> Result<Self, Error> {
        let secret = SigningKey::from_bytes(seed);
        Ok(Self { public: Key::new(name, secret.verifying_key().as_bytes())?, secret })
    }

    /// Parses the text form.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let malformed = Error::Malformed("a secret key");
        let rest = text.strip_prefix(SECRET).ok_or(malformed)?;
        let name = rest.split('+').next().unwrap_or_default();
        let encoded = rest.splitn(3, '+').nth(2).ok_or(malformed)?;
        let signer = Self::new(name, &decode_key(encoded).ok_or(malformed)?)?;
        if signer.secret_text() == text { Ok(signer) } else { Err(malformed) }
    }

    /// Returns the text form, for the key file of the signer.
    #[must_use]
    pub fn secret_text(&self) -> String {
        let Key { name, id, .. } = &self.public;
        format!("{SECRET}{name}+{:08x}+{}", u32::from_be_bytes(*id), encode_key(self.secret.as_bytes()))
    }

    /// Returns the public key.
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.public
    }

    /// Signs `message`.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Signature {
        Signature { key_id: self.public.id, bytes: self.secret.sign(message).to_bytes() }
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Signer").field(&self.public.name).finish_non_exhaustive()
    }
}

/// Returns true if `name` may be the name of a key.
pub(crate) fn is_name(name: &str) -> bool {
    let is_banned = |letter: char| letter.is_whitespace() || letter.is_control() || letter == '+';
    !name.is_empty() && !name.contains(is_banned)
}

fn encode_key(bytes: &[u8; 32]) -> String {
    STANDARD.encode([&[ED25519], bytes.as_slice()].concat())
}

fn decode_key(text: &str) -> Option<[u8; 32]> {
    let bytes = STANDARD.decode(text).ok()?;
    let (kind, key) = bytes.split_first()?;
    (*kind == ED25519).then(|| key.try_into().ok())?
}
