//! Every event there is: encoding, decoding, and the table of `(type, schema version)`.
//!
//! Types are never renamed or reused. An optional field with a default is the same version; anything else is a new
//! version, and the one before it becomes [`Outdated`]: read for ever, never written (`docs/reference/events.md`).

mod version;

use serde::Serialize;
pub(crate) use version::{Outdated, Readable, is_chain};

use crate::aggregate::Kind;
use crate::posting::Postings;
use crate::sealed::Sealed;
use crate::{
    account, attachment, attestation, custody, node, operation, platform, subnet, subscription, transaction,
    user,
};

/// What an entry of an account takes, the most frequent event, and most others do.
const ROOM: usize = 256;

/// What happened to some aggregate. Stored for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// To a platform.
    Platform(platform::Event),
    /// To a user.
    User(user::Event),
    /// To a node.
    Node(node::Event),
    /// To an account.
    Account(account::Event),
    /// To a transaction.
    Transaction(transaction::Event),
    /// To an account at a bank.
    Custody(custody::Event),
    /// To an operation.
    Operation(operation::Event),
    /// To a subnet.
    Subnet(subnet::Event),
    /// To a subscription.
    Subscription(subscription::Event),
    /// To an attachment.
    Attachment(attachment::Event),
    /// To what is said of a platform's accounts.
    Attestation(attestation::Event),
}

/// The stored name of an event: its type's number and the version of its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Schema {
    /// The type.
    pub event_type: i16,
    /// The version.
    pub version: i16,
}

/// An event as the log keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// Type and version.
    pub schema: Schema,
    /// JSON text.
    pub data: Vec<u8>,
    /// The event's box, if it has one.
    pub sealed: Option<Sealed>,
}

/// An event that cannot be written as JSON. Payloads are structs of strings, integers and lists of them, so this is a
/// defect of the program.
#[derive(Debug, thiserror::Error)]
#[error("event type {} version {} cannot be encoded", .schema.event_type, .schema.version)]
pub struct EncodeError {
    /// Type and version.
    pub schema: Schema,
    /// The reason that the serializer gives.
    pub source: serde_json::Error,
}

/// Why stored bytes are not an event.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// Written by a newer version of Daybook, or by something else.
    #[error("unknown event type {} version {}", .0.event_type, .0.version)]
    Unknown(Schema),
    /// The data is not what its type says.
    #[error("event type {} version {}: {source}", .schema.event_type, .schema.version)]
    Malformed {
        /// Type and version.
        schema: Schema,
        /// What the parser says.
        source: serde_json::Error,
    },
}

/// The data of one type of event, in the version that is written.
pub(crate) trait Payload: Readable<Current = Self> + Serialize {
    /// The box that travels beside the data.
    fn sealed(&self) -> Option<&Sealed> {
        None
    }

    /// Puts the box back that [`Payload::sealed`] gave away.
    fn attach(&mut self, _sealed: Option<Sealed>) {}

    fn encode(&self, schema: Schema) -> Result<Encoded, EncodeError> {
        let mut data = Vec::with_capacity(ROOM);
        serde_json::to_writer(&mut data, self).map_err(|source| EncodeError { schema, source })?;
        Ok(Encoded { schema, data, sealed: self.sealed().cloned() })
    }
}

/// Says in which field of an event its box is.
macro_rules! carries_a_box {
    ($payload:ident.$field:ident) => {
        impl $crate::event::Payload for $payload {
            fn sealed(&self) -> Option<&$crate::sealed::Sealed> {
                self.$field.as_ref()
            }
            fn attach(&mut self, sealed: Option<$crate::sealed::Sealed>) {
                self.$field = sealed;
            }
        }
    };
}
pub(crate) use carries_a_box;

/// Declares one aggregate's events: variant, payload, type and version in one line each, then the older versions, each
/// with its [`Outdated`]. One that is missing does not compile.
macro_rules! events {
    ($aggregate:ident: $(
        $(#[$doc:meta])* $variant:ident = $event_type:literal v $version:literal $name:literal
        $(after [$($old_version:literal: $old:ty),+])?,
    )+) => {
        /// What happened to one aggregate of this kind. Stored for ever: read `event.rs` before you touch a field.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Event {
            $($(#[$doc])* $variant($variant),)+
        }

        impl Event {
            /// Type and version of every event of this aggregate, with its public name.
            pub(crate) const SCHEMAS: $crate::event::Table =
                &[$(($crate::event::Schema { event_type: $event_type, version: $version }, $name),)+];

            /// The older versions, which are read and no longer written.
            pub(crate) const OUTDATED: $crate::event::Table =
                &[$($($(($crate::event::Schema { event_type: $event_type, version: $old_version }, $name),)+)?)+];

            pub(crate) fn encode(&self) -> Result<$crate::event::Encoded, $crate::event::EncodeError> {
                use $crate::event::Payload;
                match self {
                    $(Self::$variant(payload) => payload.encode(self.schema()),)+
                }
            }

            pub(crate) fn sealed(&self) -> Option<&$crate::sealed::Sealed> {
                use $crate::event::Payload;
                match self {
                    $(Self::$variant(payload) => payload.sealed(),)+
                }
            }

            pub(crate) const fn schema(&self) -> $crate::event::Schema {
                match self {
                    $(Self::$variant(_) => $crate::event::Schema { event_type: $event_type, version: $version },)+
                }
            }

            pub(crate) const fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)+
                }
            }

            /// None if the type is not one of this aggregate's.
            pub(crate) fn decode(
                schema: $crate::event::Schema,
                data: &[u8],
                sealed: Option<&$crate::sealed::Sealed>,
            ) -> Option<Result<Self, $crate::event::DecodeError>> {
                use $crate::event::Readable;
                match (schema.event_type, schema.version) {
                    $(($event_type, $version) => {
                        Some(<$variant>::decode(schema, data, sealed.cloned()).map(Self::$variant))
                    })+
                    $($($(($event_type, $old_version) => {
                        Some(<$old>::decode(schema, data, sealed.cloned()).map(Self::$variant))
                    })+)?)+
                    _ => None,
                }
            }
        }

        $(const _: () = assert!(
            $crate::event::is_chain(
                &[$($(($old_version, <$old as $crate::event::Readable>::BEHIND)),+)?],
                $version,
            ),
            concat!($name, " needs an upcaster for each version before its own, in order"),
        );)+

        $(impl $crate::event::Readable for $variant {
            type Current = Self;
            const BEHIND: i16 = 0;

            fn current(self) -> Self {
                self
            }
        })+

        $(impl From<$variant> for $crate::event::Event {
            fn from(payload: $variant) -> Self {
                Self::$aggregate(Event::$variant(payload))
            }
        })+
    };
}
pub(crate) use events;

/// Asks the event of each aggregate the same.
macro_rules! of_each {
    ($whole:expr, $event:ident => $asked:expr) => {
        match $whole {
            Event::Platform($event) => $asked,
            Event::User($event) => $asked,
            Event::Node($event) => $asked,
            Event::Account($event) => $asked,
            Event::Transaction($event) => $asked,
            Event::Custody($event) => $asked,
            Event::Operation($event) => $asked,
            Event::Subnet($event) => $asked,
            Event::Subscription($event) => $asked,
            Event::Attachment($event) => $asked,
            Event::Attestation($event) => $asked,
        }
    };
}

impl Event {
    /// The event as the log keeps it.
    ///
    /// # Errors
    ///
    /// [`EncodeError`] if the event cannot be written as JSON: then it must not be recorded.
    pub fn encode(&self) -> Result<Encoded, EncodeError> {
        of_each!(self, event => event.encode())
    }

    /// Its box, if it has one.
    #[must_use]
    pub fn sealed(&self) -> Option<&Sealed> {
        of_each!(self, event => event.sealed())
    }

    /// Type and version as it is written.
    #[must_use]
    pub const fn schema(&self) -> Schema {
        of_each!(self, event => event.schema())
    }

    /// Its public name: `transaction.created`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        of_each!(self, event => event.name())
    }

    /// Reads an event that the log kept, in whatever version; what comes out is the one that is written today.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] if the type is unknown to this binary or the data is not of its type.
    pub fn decode(schema: Schema, data: &[u8], sealed: Option<&Sealed>) -> Result<Self, DecodeError> {
        platform::Event::decode(schema, data, sealed)
            .map(|event| event.map(Self::Platform))
            .or_else(|| Some(user::Event::decode(schema, data, sealed)?.map(Self::User)))
            .or_else(|| Some(node::Event::decode(schema, data, sealed)?.map(Self::Node)))
            .or_else(|| Some(account::Event::decode(schema, data, sealed)?.map(Self::Account)))
            .or_else(|| Some(transaction::Event::decode(schema, data, sealed)?.map(Self::Transaction)))
            .or_else(|| Some(custody::Event::decode(schema, data, sealed)?.map(Self::Custody)))
            .or_else(|| Some(operation::Event::decode(schema, data, sealed)?.map(Self::Operation)))
            .or_else(|| Some(subnet::Event::decode(schema, data, sealed)?.map(Self::Subnet)))
            .or_else(|| Some(subscription::Event::decode(schema, data, sealed)?.map(Self::Subscription)))
            .or_else(|| Some(attachment::Event::decode(schema, data, sealed)?.map(Self::Attachment)))
            .or_else(|| Some(attestation::Event::decode(schema, data, sealed)?.map(Self::Attestation)))
            .unwrap_or(Err(DecodeError::Unknown(schema)))
    }

    /// The kind of streams that it belongs to.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Platform(_) => Kind::Platform,
            Self::User(_) => Kind::User,
            Self::Node(_) => Kind::Node,
            Self::Account(_) => Kind::Account,
            Self::Transaction(_) => Kind::Transaction,
            Self::Custody(_) => Kind::Custody,
            Self::Operation(_) => Kind::Operation,
            Self::Subnet(_) => Kind::Subnet,
            Self::Subscription(_) => Kind::Subscription,
            Self::Attachment(_) => Kind::Attachment,
            Self::Attestation(_) => Kind::Attestation,
        }
    }

    /// What it does to the ledger, if it does something.
    #[must_use]
    pub fn postings(&self) -> Option<&Postings> {
        use {custody::Event as Custody, operation::Event as Operation, transaction::Event as Transaction};
        match self {
            Self::Transaction(event) => match event {
                Transaction::DebitStarted(step) => Some(&step.postings),
                Transaction::CreditStarted(step) => step.postings.as_ref(),
                Transaction::Settled(step) => step.postings.as_ref(),
                Transaction::Canceled(step) => step.postings.as_ref(),
                Transaction::Returned(step) => step.postings.as_ref(),
                Transaction::Cleared(step) => Some(&step.postings),
                Transaction::Created(_)
                | Transaction::Commented(_)
                | Transaction::Queued(_)
                | Transaction::Released(_)
                | Transaction::Submitted(_)
                | Transaction::Withdrawn(_)
                | Transaction::Announced(_)
                | Transaction::FeesRedirected(_) => None,
            },
            Self::Custody(event) => match event {
                Custody::StatementBooked(booked) => booked.postings.as_ref(),
                Custody::Opened(_) | Custody::FileCut(_) | Custody::FileSent(_) => None,
            },
            Self::Operation(event) => match event {
                Operation::Journaled(journaled) => Some(&journaled.postings),
                Operation::Requested(_) | Operation::Approved(_) | Operation::Declined(_) => None,
            },
            Self::Platform(_)
            | Self::User(_)
            | Self::Node(_)
            | Self::Account(_)
            | Self::Subnet(_)
            | Self::Subscription(_)
            | Self::Attachment(_)
            | Self::Attestation(_) => None,
        }
    }

    /// Type, version and name of every event as it is written.
    pub fn schemas() -> impl Iterator<Item = (Schema, &'static str)> {
        TABLES.into_iter().flat_map(|(written, _)| written).copied()
    }

    /// Type, version and name of every event in versions that are read and no longer written.
    pub fn outdated() -> impl Iterator<Item = (Schema, &'static str)> {
        TABLES.into_iter().flat_map(|(_, outdated)| outdated).copied()
    }
}

/// Schemas and the names of their types.
pub(crate) type Table = &'static [(Schema, &'static str)];

/// What is written and what is no longer written, by aggregate.
const TABLES: [(Table, Table); 11] = [
    (platform::Event::SCHEMAS, platform::Event::OUTDATED),
    (user::Event::SCHEMAS, user::Event::OUTDATED),
    (node::Event::SCHEMAS, node::Event::OUTDATED),
    (account::Event::SCHEMAS, account::Event::OUTDATED),
    (transaction::Event::SCHEMAS, transaction::Event::OUTDATED),
    (custody::Event::SCHEMAS, custody::Event::OUTDATED),
    (operation::Event::SCHEMAS, operation::Event::OUTDATED),
    (subnet::Event::SCHEMAS, subnet::Event::OUTDATED),
    (subscription::Event::SCHEMAS, subscription::Event::OUTDATED),
    (attachment::Event::SCHEMAS, attachment::Event::OUTDATED),
    (attestation::Event::SCHEMAS, attestation::Event::OUTDATED),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_type_is_used_twice() {
        let types: BTreeSet<_> = Event::schemas().map(|(schema, _)| schema).collect();
        let names: BTreeSet<_> = Event::schemas().map(|(_, name)| name).collect();
        assert_eq!((types.len(), names.len()), (Event::schemas().count(), Event::schemas().count()));
    }

    fn is_unknown(schema: Schema) -> bool {
        matches!(Event::decode(schema, b"{}", None), Err(DecodeError::Unknown(found)) if found == schema)
    }

    #[test]
    fn an_unknown_type_is_said_to_be_unknown() {
        assert!(is_unknown(Schema { event_type: 9999, version: 1 }));
    }

    #[test]
    fn the_versions_of_a_type_are_known_from_the_first_to_the_one_that_is_written_and_no_others() {
        for (Schema { event_type, version }, name) in Event::schemas() {
            for known in 1..=version {
                assert!(!is_unknown(Schema { event_type, version: known }), "{name} {known}");
            }
            assert!(is_unknown(Schema { event_type, version: 0 }), "{name}");
            assert!(is_unknown(Schema { event_type, version: version + 1 }), "{name}");
        }
    }
}
