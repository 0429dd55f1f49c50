//! Ids: one type per aggregate, so that a node cannot be passed where a user is meant. All are ULIDs.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use ulid::Ulid;
use uuid::Uuid;

use crate::bank::Bank;
use crate::money::Currency;
use crate::text::read_as_text;

/// A text that is not an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an id: 26 characters of Crockford's base 32 expected")]
pub struct IdError;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u128);

        impl $name {
            /// The id with these 128 bits.
            #[must_use]
            pub const fn from_u128(bits: u128) -> Self {
                Self(bits)
            }

            /// The 128 bits of the id; the first 48 are the milliseconds of its making.
            #[must_use]
            pub const fn as_u128(self) -> u128 {
                self.0
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Self {
                Self::from_u128(id.0)
            }
        }

        impl From<&$name> for Uuid {
            fn from(id: &$name) -> Self {
                Self::from_u128(id.0)
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id.as_u128())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(Ulid(self.0).array_to_str(&mut [0; ulid::ULID_LEN]))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                // The parser also takes lower case, letters that look alike, and two bits that do not fit. One id has one
                // spelling here: what is done once per id must not be done again under another.
                let id = Ulid::from_string(text).map_err(|_| IdError)?;
                let is_spelled_so = id.array_to_str(&mut [0; ulid::ULID_LEN]) == text;
                if is_spelled_so { Ok(Self(id.0)) } else { Err(IdError) }
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(Ulid(self.0).array_to_str(&mut [0; ulid::ULID_LEN]))
            }
        }

        read_as_text!($name);
    )*};
}

ids! {
    /// A platform: a customer of Daybook with users of its own.
    PlatformId,
    /// A user of a platform.
    UserId,
    /// A node: an account as the API shows it.
    NodeId,
    /// The ledger account behind a held node.
    AccountId,
    /// A transaction: money that moves between two nodes.
    TransactionId,
    /// A person who runs the ledger, and acts on it with a reason.
    OperatorId,
    /// What an operator asked for, whether it is done, and who approved it.
    OperationId,
    /// The platform's account at a bank, as the bank's statements tell it.
    CustodyId,
    /// A file that was handed in with something else.
    AttachmentId,
    /// What is said of a platform's accounts, again and again.
    AttestationId,
    /// A file handed to a bank: what one rail sends at one cut-off.
    FileId,
    /// An account number of a node.
    SubnetId,
    /// An address that a platform wants to be called at.
    SubscriptionId,
    /// A sealed box, and the event that carries it.
    BoxId,
}

impl AccountId {
    /// The account of `node` in `currency`: the node's id with the currency's letters folded into its random part.
    ///
    /// The letters go to the top of the 80 random bits, where neighbours made in one millisecond do not differ by
    /// counting up. Two accounts of one node differ, and none equals its node.
    #[must_use]
    pub const fn of(node: NodeId, currency: Currency) -> Self {
        let [a, b, c] = currency.letters();
        let letters = u32::from_be_bytes([0, a, b, c]) as u128;
        Self(node.0 ^ (letters << 56))
    }
}

impl TransactionId {
    /// Folded into the random part of a transaction's id, at its top as letters of currencies are.
    const AGAIN: u128 = (u32::from_be_bytes(*b"\0ret") as u128) << 56;

    /// The transaction that presents this one again for the `number`th time, and of that one the first; 0 is this one.
    #[must_use]
    pub const fn again(self, number: u8) -> Self {
        if number == 0 { self } else { Self(self.0 ^ Self::AGAIN ^ ((number as u128) << 48)) }
    }
}

impl CustodyId {
    /// The account of `platform` at `bank`: the platform's id with the bank's name folded into its random part.
    #[must_use]
    pub fn of(platform: PlatformId, bank: Bank) -> Self {
        Self(platform.0 ^ bank.bits())
    }
}

impl AttestationId {
    /// Folded into the random part of a platform's id, where the names of banks and currencies have other bits.
    const MARK: u128 = u32::from_be_bytes(*b"last") as u128;

    /// That of `platform`.
    #[must_use]
    pub const fn of(platform: PlatformId) -> Self {
        Self(platform.0 ^ Self::MARK)
    }

    /// The platform that it is of.
    #[must_use]
    pub const fn platform(self) -> PlatformId {
        PlatformId(self.0 ^ Self::MARK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_bits_are_the_same_id() {
        let id = UserId::from_u128(0x0193_5a1c_2f00_1234_5678_9abc_def0_1234);
        assert_eq!(id.to_string().len(), 26);
        assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn what_is_not_an_id_is_refused() {
        for text in ["", "0", "undefined", "ZZZZZZZZZZZZZZZZZZZZZZZZZZ", "01ARZ3NDEKTSV4RRFFQ69G5FA\0"] {
            assert_eq!(text.parse::<NodeId>(), Err(IdError), "{text:?}");
        }
    }

    #[test]
    fn an_account_is_neither_its_node_nor_the_account_in_another_currency() {
        let node = NodeId::from_u128(7);
        let euro = Currency::parse("EUR").expect("ISO 4217");
        assert_ne!(AccountId::of(node, Currency::USD).as_u128(), node.as_u128());
        assert_ne!(AccountId::of(node, Currency::USD), AccountId::of(node, euro));
    }
}
