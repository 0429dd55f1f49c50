//! Keyed hashes: for what must be checked or found again but never read (HMAC-SHA-256).
//!
//! Each purpose has a key of its own, so a hash made for one cannot be passed off as another's.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::derived::Derived;

/// What a keyed hash is for. The names of the keys are kept for ever: stored hashes depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// Checking a platform's client secret.
    ClientSecret,
    /// Finding an OAuth key.
    OauthKey,
    /// Making and checking refresh tokens.
    RefreshToken,
    /// Recognizing a device.
    Fingerprint,
    /// Checking an operator's secret.
    OperatorSecret,
    /// Finding persons by the beginning of a name.
    BlindIndex,
    /// Making account numbers.
    AccountNumber,
    /// Making the secrets that calls to subscriptions are signed with.
    SubscriptionSecret,
    /// Making and checking public keys of platforms.
    PublicKey,
}

impl Purpose {
    /// Every purpose.
    pub(crate) const ALL: [Self; 9] = [
        Self::ClientSecret,
        Self::OauthKey,
        Self::RefreshToken,
        Self::Fingerprint,
        Self::OperatorSecret,
        Self::BlindIndex,
        Self::AccountNumber,
        Self::SubscriptionSecret,
        Self::PublicKey,
    ];

    /// The name of its key.
    pub(crate) fn use_name(self) -> &'static str {
        match self {
            Self::ClientSecret => "daybook/vault/mac/client-secret/v1",
            Self::OauthKey => "daybook/vault/mac/oauth-key/v1",
            Self::RefreshToken => "daybook/vault/mac/refresh-token/v1",
            Self::Fingerprint => "daybook/vault/mac/fingerprint/v1",
            Self::OperatorSecret => "daybook/vault/mac/operator-secret/v1",
            Self::BlindIndex => "daybook/vault/mac/blind-index/v1",
            Self::AccountNumber => "daybook/vault/mac/account-number/v1",
            Self::SubscriptionSecret => "daybook/vault/mac/subscription-secret/v1",
            Self::PublicKey => "daybook/vault/mac/public-key/v1",
        }
    }
}

/// One HMAC per purpose, with its key already taken in; each wipes its state when it is dropped.
pub(crate) struct Macs {
    client_secret: Hmac<Sha256>,
    oauth_key: Hmac<Sha256>,
    refresh_token: Hmac<Sha256>,
    fingerprint: Hmac<Sha256>,
    operator_secret: Hmac<Sha256>,
    blind_index: Hmac<Sha256>,
    account_number: Hmac<Sha256>,
    subscription_secret: Hmac<Sha256>,
    public_key: Hmac<Sha256>,
}

impl Macs {
    pub(crate) fn new(derived: &Derived) -> Self {
        let keyed = |purpose: Purpose| Hmac::new(derived.key(purpose.use_name()).into());
        Self {
            client_secret: keyed(Purpose::ClientSecret),
            oauth_key: keyed(Purpose::OauthKey),
            refresh_token: keyed(Purpose::RefreshToken),
            fingerprint: keyed(Purpose::Fingerprint),
            operator_secret: keyed(Purpose::OperatorSecret),
            blind_index: keyed(Purpose::BlindIndex),
            account_number: keyed(Purpose::AccountNumber),
            subscription_secret: keyed(Purpose::SubscriptionSecret),
            public_key: keyed(Purpose::PublicKey),
        }
    }

    pub(crate) fn mac(&self, purpose: Purpose, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = match purpose {
            Purpose::ClientSecret => self.client_secret.clone(),
            Purpose::OauthKey => self.oauth_key.clone(),
            Purpose::RefreshToken => self.refresh_token.clone(),
            Purpose::Fingerprint => self.fingerprint.clone(),
            Purpose::OperatorSecret => self.operator_secret.clone(),
            Purpose::BlindIndex => self.blind_index.clone(),
            Purpose::AccountNumber => self.account_number.clone(),
            Purpose::SubscriptionSecret => self.subscription_secret.clone(),
            Purpose::PublicKey => self.public_key.clone(),
        };
        for part in parts {
            // Each part with its length, so that ("ab", "c") and ("a", "bc") differ.
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

/// Whether two secrets are the same, in a time that does not tell where they differ (their lengths are no secret).
#[must_use]
pub fn ct_eq(a: &[u8], b: &[u8]) -> bool {
    a.ct_eq(b).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MasterKey;

    fn macs_of(master: u8) -> Macs {
        Macs::new(&Derived::of(&MasterKey::from_bytes([master; 32])))
    }

    fn macs() -> Macs {
        macs_of(1)
    }

    #[test]
    fn the_same_parts_have_the_same_hash() {
        let again = macs_of(1);
        assert_eq!(macs().mac(Purpose::OauthKey, &[b"a", b"b"]), again.mac(Purpose::OauthKey, &[b"a", b"b"]));
    }

    #[test]
    fn moving_a_boundary_changes_the_hash() {
        let hash = macs().mac(Purpose::OauthKey, &[b"ab", b"c"]);
        assert_ne!(hash, macs().mac(Purpose::OauthKey, &[b"a", b"bc"]));
        assert_ne!(hash, macs().mac(Purpose::OauthKey, &[b"abc"]));
        assert_ne!(hash, macs().mac(Purpose::OauthKey, &[b"ab", b"c", b""]));
    }

    #[test]
    fn another_purpose_or_master_key_changes_the_hash() {
        let hash = macs().mac(Purpose::OauthKey, &[b"a"]);
        let others = [
            Purpose::ClientSecret,
            Purpose::RefreshToken,
            Purpose::Fingerprint,
            Purpose::OperatorSecret,
            Purpose::BlindIndex,
            Purpose::AccountNumber,
            Purpose::SubscriptionSecret,
            Purpose::PublicKey,
        ];
        for purpose in others {
            assert_ne!(hash, macs().mac(purpose, &[b"a"]), "{purpose:?}");
        }
        let other = macs_of(2);
        assert_ne!(hash, other.mac(Purpose::OauthKey, &[b"a"]));
    }

    #[test]
    fn equal_means_every_byte_and_the_length() {
        assert!(ct_eq(b"secret", b"secret"));
        assert!(!ct_eq(b"secret", b"secreT"));
        assert!(!ct_eq(b"secret", b"secre"));
    }
}
