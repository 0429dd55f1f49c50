//! The token of a challenge: all that is known of a login which waits, sealed, in the hands of whoever logs in.
//!
//! Nothing is stored for it, so any process can go on with it, and nobody has to clean up after those who never answer.

use daybook_domain::{NodeId, Timestamp};
use daybook_vault::Vault;

use super::Customer;
use crate::entropy::Entropy;
use crate::hex::unhex;
use crate::rails::bank_link::Session;

/// Begins every token, so that a leaked one is recognized.
const PREFIX: &str = "mfa_";

/// A login that waits for an answer.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// The id that its first node will have.
    pub first: NodeId,
    /// When nobody waits any more.
    pub expires_at: Timestamp,
    /// By what the provider knows it.
    pub session: Session,
}

impl Token {
    /// As text that only `customer` can bring back.
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

    /// What `customer` brings back; none if it was sealed for another, was changed, or never was a token.
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
    use crate::rails::bank_link::MAX_SESSION;

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
    fn what_was_sealed_comes_back_whole() {
        for session in [b"".as_slice(), b"question", &[0xff; MAX_SESSION]] {
            assert!(open(&sealed(session)) == Some(token(session)));
        }
    }

    #[test]
    fn the_longest_fits_the_bounds_of_a_text() {
        assert!(sealed(&[0; MAX_SESSION]).len() <= 1_000);
    }

    #[test]
    fn two_tokens_of_one_login_differ() {
        assert_ne!(sealed(b"question"), sealed(b"question"));
    }

    #[test]
    fn another_customer_cannot_open_it() {
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
    fn changed_in_any_place_it_does_not_open() {
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
    fn nonsense_is_no_token() {
        for text in ["", "mfa_", "mfa_0", "mfa_00", "mfa_+1", "mfa_é", "null", "\u{1f600}"] {
            assert!(open(text).is_none(), "{text}");
        }
    }
}
