//! Values sealed for a holder, under a key of the vault instead of a subject's key: tokens that a caller keeps and
//! brings back, and the client secrets that sign calls to subscriptions. A holder can neither read nor change them, nor
//! use another holder's.
//!
//! Layout: version (1 byte) ‖ nonce (24 bytes) ‖ ciphertext and tag of XChaCha20-Poly1305. The holder is authenticated
//! with the text, so another holder's value does not open. This module does not know the contents.

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};

use crate::derived::{Derived, LENGTH};
use crate::key::{KEY_LENGTH, NONCE_LENGTH};
use crate::{Entropy, Error};

/// Names of the keys. They are permanent, because stored values were sealed with them.
pub(crate) const BANK_LOGIN: &str = "daybook/vault/token/bank-login/v1";
pub(crate) const CLIENT_SECRET: &str = "daybook/vault/token/client-secret/v1";

/// Version of the only layout.
const VERSION: u8 = 1;

/// Key that seals and opens values for one use. It is wiped when it is dropped.
pub(crate) struct TokenKey(XChaCha20Poly1305);

impl TokenKey {
    pub(crate) fn new(derived: &Derived, use_name: &'static str) -> Self {
        const { assert!(KEY_LENGTH <= LENGTH) };
        // A shorter key that is derived with the same name is a prefix of a longer one.
        match derived.key(use_name).first_chunk::<KEY_LENGTH>() {
            Some(key) => Self(XChaCha20Poly1305::new(key.into())),
            None => unreachable!("the length was checked when this was compiled"),
        }
    }

    pub(crate) fn seal(&self, holder: &[u8], plain: &[u8], entropy: &Entropy<'_>) -> Result<Vec<u8>, Error> {
        let mut nonce = [0; NONCE_LENGTH];
        entropy(&mut nonce);
        let payload = Payload { msg: plain, aad: holder };
        let sealed = self.0.encrypt(&XNonce::from(nonce), payload).map_err(|_| Error::TooLong)?;
        Ok([[VERSION].as_slice(), &nonce, &sealed].concat())
    }

    pub(crate) fn open(&self, holder: &[u8], token: &[u8]) -> Result<Vec<u8>, Error> {
        let Some((&VERSION, rest)) = token.split_first() else { return Err(Error::UnknownLayout) };
        let (nonce, text) = rest.split_first_chunk::<NONCE_LENGTH>().ok_or(Error::UnknownLayout)?;
        let payload = Payload { msg: text, aad: holder };
        self.0.decrypt(&XNonce::from(*nonce), payload).map_err(|_| Error::Unopened)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MasterKey;

    const HOLDER: &[u8] = b"Maria";

    fn key_of(master: u8) -> TokenKey {
        TokenKey::new(&Derived::of(&MasterKey::from_bytes([master; 32])), BANK_LOGIN)
    }

    fn key() -> TokenKey {
        key_of(1)
    }

    fn token(plain: &[u8]) -> Vec<u8> {
        key().seal(HOLDER, plain, &|bytes| bytes.fill(7)).unwrap()
    }

    #[test]
    fn token_opens_for_its_holder() {
        for plain in [b"".as_slice(), b"session", &[0; 4096]] {
            let token = token(plain);
            assert_eq!(token.len(), plain.len() + 41);
            assert_eq!(key().open(HOLDER, &token).unwrap(), plain);
        }
    }

    #[test]
    fn token_opens_only_for_holder_and_key() {
        let token = token(b"session");
        for holder in [b"Mario".as_slice(), b"Mari", b"Maria ", b""] {
            assert!(matches!(key().open(holder, &token), Err(Error::Unopened)), "{holder:?}");
        }
        let other_use = TokenKey::new(&Derived::of(&MasterKey::from_bytes([1; 32])), CLIENT_SECRET);
        for other in [key_of(2), other_use] {
            assert!(matches!(other.open(HOLDER, &token), Err(Error::Unopened)));
        }
    }

    #[test]
    fn changed_or_truncated_token_does_not_open() {
        let token = token(b"session");
        for at in 0..token.len() {
            let mut changed = token.clone();
            changed[at] ^= 1;
            assert!(key().open(HOLDER, &changed).is_err(), "byte {at}");
            assert!(key().open(HOLDER, &token[..at]).is_err(), "{at} bytes");
        }
    }

    #[test]
    fn token_does_not_reveal_its_content() {
        let plain = b"a session of some length";
        assert!(!token(plain).windows(8).any(|window| plain.windows(8).any(|part| part == window)));
    }
}
