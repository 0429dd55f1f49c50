//! Keys: one master key from a file, and under it a data key for each subject and class (envelope encryption).
//!
//! The master key itself encrypts nothing. The keys that wrap data keys, make keyed hashes and seal tokens are derived
//! from it, so a weakness of one use reveals nothing about another. No type here can be printed or serialized, and each
//! wipes its memory when it is dropped.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use hkdf::Hkdf;
use sha2::Sha256;
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::{Entropy, Error, Pipes, read_secret};

/// Length in bytes of a key for XChaCha20-Poly1305, and of the master key.
pub(crate) const KEY_LENGTH: usize = 32;

/// Length in bytes of a nonce of XChaCha20-Poly1305. It is long enough for random nonces.
pub(crate) const NONCE_LENGTH: usize = 24;

/// Class of the data that a data key protects. The number is permanent: it is in the table of keys, and authenticated
/// with every box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Names, addresses, notes, account numbers and other text of a person.
    Profile = 1,
    /// Values of identity documents, so that they can be destroyed before the rest.
    Document = 2,
}

impl Class {
    /// Every class; a new subject gets a key of each.
    pub const ALL: [Self; 2] = [Self::Profile, Self::Document];

    /// Returns the stored number.
    #[must_use]
    pub fn number(self) -> i16 {
        self as i16
    }

    pub(crate) fn from_number(number: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.number() == number)
    }
}

/// The key above all keys: 32 random bytes. An attacker with this key and the database can read everything.
pub struct MasterKey(Zeroizing<[u8; KEY_LENGTH]>);

impl MasterKey {
    /// Creates the key from bytes that are kept elsewhere.
    #[must_use]
    pub fn from_bytes(bytes: [u8; KEY_LENGTH]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Reads the key from the file at `path`: exactly 32 bytes.
    ///
    /// # Errors
    ///
    /// [`Error::MasterKeyFile`] if the file cannot be read, or is open to every user of the machine;
    /// [`Error::MasterKeyLength`] if it does not have 32 bytes.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let failed = |source| Error::MasterKeyFile { path: path.to_owned(), source };
        let read = read_secret(path, Pipes::Read).map_err(failed)?;
        let mut bytes = Zeroizing::new([0; KEY_LENGTH]);
        if read.len() != KEY_LENGTH {
            return Err(Error::MasterKeyLength { path: path.to_owned(), length: read.len() as u64 });
        }
        bytes.copy_from_slice(&read);
        Ok(Self(bytes))
    }

    /// Reads the key from the file at `path`. If there is no file, creates one with a new key, readable by its owner
    /// only.
    ///
    /// Two processes that start at once get the same key. The file is on disk before this returns: a key that a crash
    /// could remove must not wrap anything.
    ///
    /// # Errors
    ///
    /// Errors of [`MasterKey::load`], and [`Error::MasterKeyFile`] if the file cannot be written.
    pub fn load_or_create(path: &Path, entropy: &Entropy<'_>) -> Result<Self, Error> {
        match Self::load(path) {
            Err(Error::MasterKeyFile { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
            other => return other,
        }
        let mut bytes = Zeroizing::new([0; KEY_LENGTH]);
        entropy(bytes.as_mut_slice());
        create_key_file(path, bytes.as_slice(), entropy)
            .map_err(|source| Error::MasterKeyFile { path: path.to_owned(), source })?;
        // Read back, because another process may have been first.
        Self::load(path)
    }

    /// Derives a key of `N` bytes for one use. `use_name` distinguishes the uses and is permanent.
    pub(crate) fn derive<const N: usize>(&self, use_name: &str) -> Zeroizing<[u8; N]> {
        // HKDF-SHA-256 fails only for longer keys, and no key is longer.
        const { assert!(N <= 255 * 32) };
        let mut key = Zeroizing::new([0; N]);
        match Hkdf::<Sha256>::new(None, self.0.as_slice()).expand(use_name.as_bytes(), key.as_mut_slice()) {
            Ok(()) => key,
            Err(_) => unreachable!("the length was checked when this was compiled"),
        }
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("MasterKey(redacted)")
    }
}

/// Writes a key to the file at `path`, readable by its owner only, unless the file exists. If two processes do so at
/// once, the key of the faster one stays. The file is on disk before this returns.
///
/// # Errors
///
/// Fails if the file cannot be written. An existing file is no error.
pub fn create_key_file(path: &Path, key: &[u8], entropy: &Entropy<'_>) -> io::Result<()> {
    let draft = draft_path(path, entropy);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    let named = file
        .write_all(key)
        .and_then(|()| file.sync_all())
        // A link instead of a rename, because a rename would replace the key of a faster process.
        .and_then(|()| fs::hard_link(&draft, path));
    fs::remove_file(&draft)?;
    match named {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => File::open(folder_of(path))?.sync_all(),
    }
}

fn draft_path(path: &Path, entropy: &Entropy<'_>) -> PathBuf {
    let mut suffix = [0; 8];
    entropy(&mut suffix);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{:016x}.draft", u64::from_be_bytes(suffix)));
    path.with_file_name(name)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Name of a master key. It distinguishes master keys and reveals nothing about them. It is stored beside each key that
/// is wrapped under the master key.
pub(crate) type MasterName = [u8; 8];

/// A key that wraps and unwraps other keys (key-encryption key).
pub(crate) struct WrappingKey {
    cipher: XChaCha20Poly1305,
    name: MasterName,
}

impl WrappingKey {
    pub(crate) fn new(master: &MasterKey) -> Self {
        let key = master.derive::<KEY_LENGTH>("daybook/vault/wrap/v1");
        let name = *master.derive::<8>("daybook/vault/master-name/v1");
        Self { cipher: XChaCha20Poly1305::new((&*key).into()), name }
    }

    /// Returns the name of the master key.
    pub(crate) fn name(&self) -> &MasterName {
        &self.name
    }

    /// Wraps a key as nonce ‖ ciphertext. `purpose` is authenticated with it.
    pub(crate) fn wrap(&self, purpose: &[u8], key: &[u8], entropy: &Entropy<'_>) -> Result<Vec<u8>, Error> {
        let mut nonce = [0; NONCE_LENGTH];
        entropy(&mut nonce);
        let payload = Payload { msg: key, aad: purpose };
        let sealed = self.cipher.encrypt(&XNonce::from(nonce), payload).map_err(|_| Error::TooLong)?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// Unwraps a key; `None` if it was wrapped under another key or for another purpose, or was changed.
    pub(crate) fn unwrap(&self, purpose: &[u8], wrapped: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let (nonce, sealed) = wrapped.split_first_chunk::<NONCE_LENGTH>()?;
        let payload = Payload { msg: sealed, aad: purpose };
        self.cipher.decrypt(&XNonce::from(*nonce), payload).ok().map(Zeroizing::new)
    }
}

/// Returns the purpose of a data key, which binds it to its shard, subject and class.
pub(crate) fn data_key(shard: i16, subject: Uuid, class: Class) -> [u8; 20] {
    let mut purpose = [0; 20];
    purpose[..2].copy_from_slice(&shard.to_be_bytes());
    purpose[2..18].copy_from_slice(subject.as_bytes());
    purpose[18..].copy_from_slice(&class.number().to_be_bytes());
    purpose
}

#[cfg(test)]
mod tests;
