//! Set the number of an account at the bank.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Refusal;
use super::event::AccountSet;
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::CustodyId;
use crate::state::States;
use crate::time::Timestamp;

/// Maximum length of an account number. Source: ISO 13616, IBAN.
pub const MAX_ACCOUNT_CHARS: usize = 34;

/// Number of an account at a bank, or its IBAN: letters and digits, at most [`MAX_ACCOUNT_CHARS`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AccountNumber(String);

impl AccountNumber {
    /// Returns the number as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The text is not the number of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the number of an account has 1 to 34 letters and digits")]
pub struct NotAccountNumber;

impl TryFrom<String> for AccountNumber {
    type Error = NotAccountNumber;

    fn try_from(text: String) -> Result<Self, NotAccountNumber> {
        let fits = (1..=MAX_ACCOUNT_CHARS).contains(&text.len());
        if fits && text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            Ok(Self(text))
        } else {
            Err(NotAccountNumber)
        }
    }
}

impl FromStr for AccountNumber {
    type Err = NotAccountNumber;

    fn from_str(text: &str) -> Result<Self, NotAccountNumber> {
        text.to_owned().try_into()
    }
}

impl From<AccountNumber> for String {
    fn from(number: AccountNumber) -> Self {
        number.0
    }
}

/// Command to set the number of an account at the bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAccount {
    /// The platform's account at the bank.
    pub custody: CustodyId,
    /// Its number.
    pub account: AccountNumber,
    /// Origin of the number.
    pub origin: Origin,
}

impl Decide for SetAccount {
    fn subject(&self) -> Key {
        self.custody.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.custody.into()]
    }

    /// Decides. Changes nothing if the account has this number already. Other accounts are not known here: two of them
    /// may have one number.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let custody = states.custody(self.custody).ok_or(Refusal::Unknown)?;
        if custody.account.as_ref() == Some(&self.account) {
            return Ok(vec![]);
        }
        let set = AccountSet { account: self.account.clone(), origin: self.origin };
        Ok(vec![NewEvent::new(self.custody, set)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::Actor;
    use crate::testing::fixture::{CUSTODY, set_account as set};
    use crate::testing::given;

    #[test]
    fn number_has_letters_and_digits_only() {
        for text in ["1", "555000111", "DE89370400440532013000", &"9".repeat(34)] {
            assert_eq!(text.parse::<AccountNumber>().expect("a number").as_str(), text);
        }
        for text in ["", " 1", "1-2", "1/2", "ü", "1\n", &"9".repeat(35)] {
            assert_eq!(text.parse::<AccountNumber>(), Err(NotAccountNumber), "{text:?}");
            let json = serde_json::to_string(text).expect("a string");
            assert!(serde_json::from_str::<AccountNumber>(&json).is_err(), "{text:?}");
        }
    }

    #[test]
    fn newest_number_of_account_counts() {
        let mut world = given([]);
        assert_eq!(world.custody(CUSTODY).and_then(|custody| custody.account.clone()), None);
        for text in ["555000111", "DE89370400440532013000"] {
            world.submit(&set(text)).expect("set");
            let account = world.custody(CUSTODY).and_then(|custody| custody.account.clone());
            assert_eq!(account, text.parse().ok());
        }
    }

    #[test]
    fn same_number_twice_changes_nothing() {
        let world = given([set("555000111")]);
        world.when(set("555000111")).then([]);
    }

    #[test]
    fn unknown_account_gets_no_number() {
        let (custody, account) = (CustodyId::from_u128(99), "1".parse().expect("a number"));
        let set = SetAccount { custody, account, origin: Origin::of(Actor::Process) };
        given([]).when(set).refused(Refusal::Unknown);
    }
}
