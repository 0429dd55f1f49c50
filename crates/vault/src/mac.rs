//! Keyed hashes (HMAC-SHA-256) of values that are checked or found again but never read.
//!
//! Each purpose has its own key, so a hash for one purpose is not valid for another.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::derived::Derived;

/// Purpose of a keyed hash. The names of the keys are permanent, because stored hashes depend on them.
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
    /// Finding persons by a prefix of a name.
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

    /// Returns the name of the purpose's key.
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

/// One HMAC per purpose, initialized with its key. Each wipes its state when it is dropped.
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
            // The length of each part is included, so that ("ab", "c") and ("a", "bc") differ.
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

/// Compares two secrets in constant time: the time does not reveal the place of a difference. The lengths are not
/// secret.
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
    fn equal_parts_have_equal_hashes() {
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
    fn purpose_and_master_key_change_the_hash() {
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
    fn comparison_covers_bytes_and_length() {
        assert!(ct_eq(b"secret", b"secret"));
        assert!(!ct_eq(b"secret", b"secreT"));
        assert!(!ct_eq(b"secret", b"secre"));
    }
}
