//! All events: encoding, decoding, and the table of event types and schema versions.
//!
//! Types are never renamed or reused. An optional field with a default keeps the version. Any other change makes a new
//! version, and the one before it becomes `Outdated`: read for ever by an upcaster, never written
//! (`docs/reference/events.md`).

mod payload;
mod table;
mod version;

pub(crate) use payload::{Payload, carries_a_box};
pub(crate) use table::events;
pub(crate) use version::{Outdated, Readable, is_chain};

use crate::aggregate::Kind;
use crate::aggregates::aggregates;
use crate::posting::Postings;
use crate::sealed::Sealed;
use crate::{
    account, attachment, attestation, breaks, custody, evidence, node, operation, platform, roles, statement,
    subnet, subscription, transaction, user,
};

/// Generates from the table of aggregates the enum [`Event`] and its methods. `Platform … in platform` becomes the
/// variant `Platform(platform::Event)`.
macro_rules! events_of_all {
    ($($(#[$doc:meta])* $kind:ident = $code:literal by $id:ident in $module:ident,)*) => {
        /// An event of any aggregate. Stored for ever.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Event {
            $($(#[$doc])* $kind($module::Event),)*
        }

        impl Event {
            /// Encodes the event in the form that the log stores.
            ///
            /// # Errors
            ///
            /// [`EncodeError`] if the event cannot be written as JSON. Such an event must not be recorded.
            pub fn encode(&self) -> Result<Encoded, EncodeError> {
                match self {
                    $(Self::$kind(event) => event.encode(),)*
                }
            }

            /// The sealed box of the event, if it has one.
            #[must_use]
            pub fn sealed(&self) -> Option<&Sealed> {
                match self {
                    $(Self::$kind(event) => event.sealed(),)*
                }
            }

            /// Event type, and the schema version in which the event is written.
            #[must_use]
            pub const fn schema(&self) -> Schema {
                match self {
                    $(Self::$kind(event) => event.schema(),)*
                }
            }

            /// Public name of the event, such as `transaction.created`.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$kind(event) => event.name(),)*
                }
            }

            /// Kind of the aggregate that the event belongs to.
            #[must_use]
            pub const fn kind(&self) -> Kind {
                match self {
                    $(Self::$kind(_) => Kind::$kind,)*
                }
            }

            /// Decodes an event in any stored version. Upcasters convert it to the current version.
            ///
            /// # Errors
            ///
            /// [`DecodeError`] if this binary does not know the type, or if the data does not fit it.
            pub fn decode(schema: Schema, data: &[u8], sealed: Option<&Sealed>) -> Result<Self, DecodeError> {
                $(if let Some(event) = $module::Event::decode(schema, data, sealed) {
                    return event.map(Self::$kind);
                })*
                Err(DecodeError::Unknown(schema))
            }
        }

        /// Current schemas and outdated schemas, by aggregate.
        const TABLES: &[(Table, Table)] = &[$(($module::Event::SCHEMAS, $module::Event::OUTDATED)),*];
    };
}

aggregates!(events_of_all);

/// Stored name of an event: the number of its type and the version of its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Schema {
    /// Number of the event type.
    pub event_type: i16,
    /// Version of the schema.
    pub version: i16,
}

/// An event in the form that the log stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// Event type and schema version.
    pub schema: Schema,
    /// JSON text.
    pub data: Vec<u8>,
    /// The event's box, if it has one.
    pub sealed: Option<Sealed>,
}

/// Error: an event cannot be written as JSON. Payloads are structs of strings, integers and lists of them, so this is a
/// defect of the program.
#[derive(Debug, thiserror::Error)]
#[error("event type {} version {} cannot be encoded", .schema.event_type, .schema.version)]
pub struct EncodeError {
    /// Event type and schema version.
    pub schema: Schema,
    /// Error of the serializer.
    pub source: serde_json::Error,
}

/// Reasons for which stored bytes cannot be decoded as an event.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// Unknown type or version: written by a newer Daybook, or by another program.
    #[error("unknown event type {} version {}", .0.event_type, .0.version)]
    Unknown(Schema),
    /// The data does not fit the type.
    #[error("event type {} version {}: {source}", .schema.event_type, .schema.version)]
    Malformed {
        /// Event type and schema version.
        schema: Schema,
        /// Error of the parser.
        source: serde_json::Error,
    },
}

impl Event {
    /// Postings of the event to the ledger, if it makes any.
    #[must_use]
    pub fn postings(&self) -> Option<&Postings> {
        use {
            breaks::Event as Break, custody::Event as Custody, operation::Event as Operation,
            statement::Event as Statement, transaction::Event as Transaction,
        };
        match self {
            Self::Transaction(event) => match event {
                Transaction::DebitStarted(step) => Some(&step.postings),
                Transaction::CreditStarted(step) => step.postings.as_ref(),
                Transaction::Settled(step) => step.postings.as_ref(),
                Transaction::Canceled(step) => step.postings.as_ref(),
                Transaction::Returned(step) => step.postings.as_ref(),
                Transaction::Cleared(step) => Some(&step.postings),
                Transaction::Reopened(step) => Some(&step.postings),
                Transaction::Created(_)
                | Transaction::Commented(_)
                | Transaction::Queued(_)
                | Transaction::Released(_)
                | Transaction::Submitted(_)
                | Transaction::Withdrawn(_)
                | Transaction::WrittenOff(_)
                | Transaction::ReturnContested(_)
                | Transaction::Announced(_)
                | Transaction::FeesRedirected(_) => None,
            },
            Self::Custody(event) => match event {
                Custody::StatementBooked(booked) => booked.postings.as_ref(),
                Custody::Opened(_)
                | Custody::FileCut(_)
                | Custody::FileSent(_)
                | Custody::StatementAccepted(_)
                | Custody::StatementCompleted(_)
                | Custody::AccountSet(_)
                | Custody::RulesSet(_)
                | Custody::BreaksMatched(_) => None,
            },
            Self::Statement(event) => match event {
                Statement::LinesBooked(booked) => booked.postings.as_ref(),
                Statement::LinesTakenBack(back) => back.postings.as_ref(),
                Statement::Accepted(_) | Statement::Replaced(_) => None,
            },
            Self::Break(event) => match event {
                Break::Matched(matched) => matched.postings.as_ref(),
                Break::Unmatched(unmatched) => unmatched.postings.as_ref(),
                Break::Opened(_) | Break::Withdrawn(_) => None,
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
            | Self::Attestation(_)
            | Self::Evidence(_)
            | Self::Roles(_) => None,
        }
    }

    /// Type, version and name of every event in its current version.
    pub fn schemas() -> impl Iterator<Item = (Schema, &'static str)> {
        TABLES.iter().flat_map(|(written, _)| *written).copied()
    }

    /// Type, version and name of every outdated event version: still read, never written.
    pub fn outdated() -> impl Iterator<Item = (Schema, &'static str)> {
        TABLES.iter().flat_map(|(_, outdated)| *outdated).copied()
    }
}

/// Schemas and the names of their event types.
pub(crate) type Table = &'static [(Schema, &'static str)];

/// True for a number that events and states leave out.
pub(crate) fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}

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
    fn unknown_type_is_reported() {
        assert!(is_unknown(Schema { event_type: 9999, version: 1 }));
    }

    #[test]
    fn decode_knows_exactly_versions_one_to_current() {
        for (Schema { event_type, version }, name) in Event::schemas() {
            for known in 1..=version {
                assert!(!is_unknown(Schema { event_type, version: known }), "{name} {known}");
            }
            assert!(is_unknown(Schema { event_type, version: 0 }), "{name}");
            assert!(is_unknown(Schema { event_type, version: version + 1 }), "{name}");
        }
    }
}
