//! Ids: one type for each aggregate, so that a node's id cannot be passed as a user's. All ids are ULIDs.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use ulid::Ulid;
use uuid::Uuid;

use crate::bank::Bank;
use crate::calendar::{Day, Month};
use crate::money::Currency;
use crate::text::read_as_text;

/// Error of a text that is not an id.
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

            /// The 128 bits of the id. The first 48 are the time of creation in milliseconds.
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
                // The parser also accepts lower case, look-alike letters, and two bits that overflow. Here an id has
                // one spelling: an action that may run once per id must not run again under another spelling.
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
    /// An operator: a person that runs the ledger and gives a reason for each act.
    OperatorId,
    /// An operation: an operator's act, its status and its approval.
    OperationId,
    /// A platform's account at a bank, as the bank's statements show it.
    CustodyId,
    /// An attachment: an uploaded file.
    AttachmentId,
    /// The attestations of a platform's accounts.
    AttestationId,
    /// A bank's statement of one day. It follows from the bank's file, so that a file makes no second statement.
    StatementId,
    /// The bank's files of one month. It follows from the account and the month.
    EvidenceId,
    /// The stream of all operators' roles.
    RolesId,
    /// A line of a statement that was booked to suspense. It follows from the statement and the line.
    BreakId,
    /// A file for a bank: the entries that one rail sends at one cut-off.
    FileId,
    /// An account number of a node.
    SubnetId,
    /// A subscription: a webhook address of a platform.
    SubscriptionId,
    /// A sealed box, and the event that carries it.
    BoxId,
}

impl AccountId {
    /// The account of `node` in `currency`: the node's id with the currency's letters combined by XOR with its random
    /// part.
    ///
    /// The letters go to the top of the 80 random bits. Ids made in the same millisecond count up in the low bits, so
    /// they do not collide with them. Two accounts of one node differ, and none equals its node.
    #[must_use]
    pub const fn of(node: NodeId, currency: Currency) -> Self {
        let [a, b, c] = currency.letters();
        let letters = u32::from_be_bytes([0, a, b, c]) as u128;
        Self(node.0 ^ (letters << 56))
    }
}

impl TransactionId {
    /// Combined by XOR with the top of the random part of a transaction's id, at the place of a currency's letters.
    const AGAIN: u128 = (u32::from_be_bytes(*b"\0ret") as u128) << 56;

    /// The transaction that presents this one again for the `number`th time; 0 is this one. The function is its own
    /// inverse: from that id it leads back to the first one.
    #[must_use]
    pub const fn again(self, number: u8) -> Self {
        if number == 0 { self } else { Self(self.0 ^ Self::AGAIN ^ ((number as u128) << 48)) }
    }
}

impl CustodyId {
    /// The account of `platform` at `bank`: the platform's id with the bank's name combined by XOR with its random
    /// part.
    #[must_use]
    pub fn of(platform: PlatformId, bank: Bank) -> Self {
        Self(platform.0 ^ bank.bits())
    }
}

impl BreakId {
    /// Combined by XOR with the id of a statement, or of an account at a bank.
    const MARK: u128 = u32::from_be_bytes(*b"line") as u128;

    /// The line of `statement` with this number, counted from 0.
    #[must_use]
    pub fn of(statement: StatementId, number: u32) -> Self {
        Self(statement.0 ^ Self::MARK ^ (u128::from(number) << 32))
    }

    /// The line with this number of a day that the sandbox's bank states without a file. Number, day and currency are
    /// combined by XOR with the top of the random part of the account's id.
    #[must_use]
    pub fn of_day(custody: CustodyId, currency: Currency, day: Day, number: u32) -> Self {
        let letters = currency.letters().iter().fold(0, |bits, letter| bits << 5 | u128::from(letter & 31));
        let day = u128::from(day.number().unsigned_abs()) & 0xff_ffff;
        let line = u128::from(number & 0xffff) << 64 | day << 40 | letters << 25;
        Self(custody.0 ^ Self::MARK ^ line)
    }
}

impl EvidenceId {
    /// Combined by XOR with the random part of an account's id.
    const MARK: u128 = (u32::from_be_bytes(*b"kept") as u128) << 16;

    /// The evidence of `custody` of `month`: the account's id with the number of the month combined by XOR with the top
    /// of its random part.
    #[must_use]
    pub fn of(custody: CustodyId, month: Month) -> Self {
        Self(custody.0 ^ Self::MARK ^ (u128::from(month.number()) << 56))
    }
}

impl RolesId {
    /// The one stream. No ULID has these bits, because their time is 1970.
    pub const ALL: Self = Self(u32::from_be_bytes(*b"role") as u128);
}

impl AttestationId {
    /// Combined by XOR with the random part of a platform's id. No name of a bank or currency has these bits.
    const MARK: u128 = u32::from_be_bytes(*b"last") as u128;

    /// The attestation of `platform`.
    #[must_use]
    pub const fn of(platform: PlatformId) -> Self {
        Self(platform.0 ^ Self::MARK)
    }

    /// The platform of the attestation.
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
    fn malformed_id_is_refused() {
        for text in ["", "0", "undefined", "ZZZZZZZZZZZZZZZZZZZZZZZZZZ", "01ARZ3NDEKTSV4RRFFQ69G5FA\0"] {
            assert_eq!(text.parse::<NodeId>(), Err(IdError), "{text:?}");
        }
    }

    #[test]
    fn account_ids_differ_from_node_and_siblings() {
        let node = NodeId::from_u128(7);
        let euro = Currency::parse("EUR").expect("ISO 4217");
        assert_ne!(AccountId::of(node, Currency::USD).as_u128(), node.as_u128());
        assert_ne!(AccountId::of(node, Currency::USD), AccountId::of(node, euro));
    }
}
