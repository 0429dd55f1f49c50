//! Keys of Ed25519 with a name, in the text forms of C2SP signed-note, and what they sign.

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use core::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};

use crate::error::Error;

/// The type of signatures that this crate makes and checks.
const ED25519: u8 = 1;

/// Where the text form of a secret key begins.
const SECRET: &str = "PRIVATE+KEY+";

/// A public key with its name, by which signatures are checked. Its text form is `<name>+<id>+<base64>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    name: String,
    id: [u8; 4],
    public: VerifyingKey,
}

impl Key {
    /// A key of 32 bytes. Fails if the name has a space, a plus or a control character, or these bytes are no key.
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

    /// Reads the text form.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let malformed = Error::Malformed("a public key");
        let name = text.split('+').next().unwrap_or_default();
        let encoded = text.splitn(3, '+').nth(2).ok_or(malformed)?;
        let public = decode_key(encoded).ok_or(malformed)?;
        let key = Self::new(name, &public)?;
        if key.text() == text { Ok(key) } else { Err(malformed) }
    }

    /// The text form, for whoever checks.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}+{:08x}+{}", self.name, u32::from_be_bytes(self.id), encode_key(self.public.as_bytes()))
    }

    /// Whose key it is; for the log itself that is the origin.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The first bytes of SHA-256 of name and key. Tells keys apart; it proves nothing.
    #[must_use]
    pub fn id(&self) -> [u8; 4] {
        self.id
    }

    /// Checks that this key signed these bytes.
    pub fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), Error> {
        if signature.key_id != self.id {
            return Err(Error::UnknownKey);
        }
        let signature = ed25519_dalek::Signature::from_bytes(&signature.bytes);
        self.public.verify_strict(message, &signature).map_err(|_| Error::Signature)
    }
}

/// Checks that one of these keys with this name signed these bytes.
pub(crate) fn verify(keys: &[Key], name: &str, message: &[u8], signature: &Signature) -> Result<(), Error> {
    let known = keys.iter().find(|key| key.name == name && key.id == signature.key_id);
    known.ok_or(Error::UnknownKey)?.verify(message, signature)
}

/// A signature, and which key made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The id of the key.
    pub key_id: [u8; 4],
    /// Ed25519, RFC 8032.
    pub bytes: [u8; 64],
}

impl Signature {
    /// Reads the bytes of [`Signature::to_bytes`]; none if they are not 68.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (key_id, signature) = bytes.split_first_chunk()?;
        Some(Self { key_id: *key_id, bytes: signature.try_into().ok()? })
    }

    /// The id of the key and the signature, 68 bytes, as they are stored and, in base64, stand in a note.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 68] {
        let mut bytes = [0; 68];
        let (id, signature) = bytes.split_at_mut(4);
        id.copy_from_slice(&self.key_id);
        signature.copy_from_slice(&self.bytes);
        bytes
    }
}

/// A secret key with its name. Its text form is `PRIVATE+KEY+<name>+<id>+<base64>`; it is wiped when dropped.
#[derive(Clone)]
pub struct Signer {
    public: Key,
    secret: SigningKey,
}

impl Signer {
    /// The key that follows from 32 random bytes.
    pub fn new(name: &str, seed: &[u8; 32]) -> Result<Self, Error> {
        let secret = SigningKey::from_bytes(seed);
        Ok(Self { public: Key::new(name, secret.verifying_key().as_bytes())?, secret })
    }

    /// Reads the text form.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let malformed = Error::Malformed("a secret key");
        let rest = text.strip_prefix(SECRET).ok_or(malformed)?;
        let name = rest.split('+').next().unwrap_or_default();
        let encoded = rest.splitn(3, '+').nth(2).ok_or(malformed)?;
        let signer = Self::new(name, &decode_key(encoded).ok_or(malformed)?)?;
        if signer.secret_text() == text { Ok(signer) } else { Err(malformed) }
    }

    /// The text form, for the file of whoever signs.
    #[must_use]
    pub fn secret_text(&self) -> String {
        let Key { name, id, .. } = &self.public;
        format!("{SECRET}{name}+{:08x}+{}", u32::from_be_bytes(*id), encode_key(self.secret.as_bytes()))
    }

    /// The public key.
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.public
    }

    /// Signs these bytes.
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

/// Whether this may be the name of a key.
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
