//! Tokens of challenges: the sealed state of a waiting login, which the client holds.
//!
//! Nothing is stored for a token. Any process can continue the login, and an abandoned login needs no cleanup.

use daybook_domain::{NodeId, Timestamp};
use daybook_vault::Vault;

use super::Customer;
use crate::entropy::Entropy;
use crate::hex::unhex;
use crate::rails::bank_link::Session;

/// Prefix of every token, so that secret scanners recognize a leaked one.
const PREFIX: &str = "mfa_";

/// State of a login that waits for an answer.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// Id that the login's first node will have.
    pub first: NodeId,
    /// Time at which the challenge expires.
    pub expires_at: Timestamp,
    /// Identifier of the login at the provider.
    pub session: Session,
}

impl Token {
    /// Seals the state into text that only `customer` can present.
    pub(super) fn seal(
        &self,
        customer: Customer,
        vault: &Vault,
        entropy: Entropy,
    ) -> Result<String, daybook_vault::Error> {
        let (first, expires_at) = (self.first.as_u128().to_be_bytes(), self.expires_at.ms().to_be_bytes());
        let plain = [first.as_slice(), &expires_at, self.session.as_bytes()].concat();
        let sealed = vault.seal_token(&customer.bytes(), &plain, &move |bytes| entropy.fill(bytes))?;
        Ok(format!("{PREFIX}{}", hex::encode(sealed)))
    }

    /// Opens a token that `customer` presents; returns none if it was sealed for another customer, was altered, or is
    /// not a token.
    pub(super) fn open(text: &str, customer: Customer, vault: &Vault) -> Option<Self> {
        let sealed = unhex(text.strip_prefix(PREFIX)?)?;
        let plain = vault.open_token(&customer.bytes(), &sealed).ok()?;
        let (first, rest) = plain.split_first_chunk()?;
        let (expires_at, session) = rest.split_first_chunk()?;
        Some(Self {
            first: NodeId::from_u128(u128::from_be_bytes(*first)),
            expires_at: Timestamp::from_ms(i64::from_be_bytes(*expires_at)),
            session: Session::new(session.to_vec())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use daybook_domain::{PlatformId, UserId};

    use super::*;
    use crate::bank_login::testing::{ADA, vault};
    use crate::rails::bank_link::MAX_SESSION_BYTES;

    fn token(session: &[u8]) -> Token {
        let session = Session::new(session.to_vec()).expect("a short one");
        Token { first: NodeId::from_u128(u128::MAX - 7), expires_at: Timestamp::from_ms(-1), session }
    }

    fn sealed(session: &[u8]) -> String {
        token(session).seal(ADA, &vault(), Entropy).expect("it is short")
    }

    fn open(text: &str) -> Option<Token> {
        Token::open(text, ADA, &vault())
    }

    #[test]
    fn sealed_token_round_trips() {
        for session in [b"".as_slice(), b"question", &[0xff; MAX_SESSION_BYTES]] {
            assert!(open(&sealed(session)) == Some(token(session)));
        }
    }

    #[test]
    fn longest_token_fits_text_limit() {
        assert!(sealed(&[0; MAX_SESSION_BYTES]).len() <= 1_000);
    }

    #[test]
    fn tokens_of_one_login_differ() {
        assert_ne!(sealed(b"question"), sealed(b"question"));
    }

    #[test]
    fn other_customer_cannot_open_token() {
        let text = sealed(b"question");
        let others = [
            Customer { user: UserId::from_u128(404), ..ADA },
            Customer { platform: PlatformId::from_u128(404), ..ADA },
            Customer {
                platform: PlatformId::from_u128(ADA.user.as_u128()),
                user: UserId::from_u128(ADA.platform.as_u128()),
            },
        ];
        for other in others {
            assert!(Token::open(&text, other, &vault()).is_none());
        }
    }

    #[test]
    fn altered_token_does_not_open() {
        let text = sealed(b"question");
        for at in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[at] = if changed[at] == b'0' { b'1' } else { b'0' };
            assert!(open(&String::from_utf8(changed).expect("ASCII")).is_none(), "letter {at}");
            assert!(open(&text[..at]).is_none(), "{at} letters");
        }
        let longer = [format!("{text}0"), format!("{text}00"), format!(" {text}"), format!("{text}\n")];
        for other in
            longer.iter().chain([&text.to_uppercase(), &format!("mfa_{}", &text.to_uppercase()[4..])])
        {
            assert!(open(other).is_none(), "{other}");
        }
    }

    #[test]
    fn malformed_text_is_no_token() {
        for text in ["", "mfa_", "mfa_0", "mfa_00", "mfa_+1", "mfa_é", "null", "\u{1f600}"] {
            assert!(open(text).is_none(), "{text}");
        }
    }
}
