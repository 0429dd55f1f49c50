//! Every event there is: encoding, decoding, and the table of `(type, schema version)`.
//!
//! Types are never renamed or reused. An optional field with a default is the same version; anything else is a new
//! version, and the one before it becomes [`Outdated`]: read for ever, never written (`docs/reference/events.md`).

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
    account, attachment, attestation, custody, node, operation, platform, subnet, subscription, transaction,
    user,
};

/// Makes of the table of aggregates the enum [`Event`], with what is asked of each: `Platform … in platform` is the variant
/// `Platform(platform::Event)`.
macro_rules! events_of_all {
    ($($(#[$doc:meta])* $kind:ident = $code:literal by $id:ident in $module:ident,)*) => {
        /// What happened to some aggregate. Stored for ever.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Event {
            $($(#[$doc])* $kind($module::Event),)*
        }

        impl Event {
            /// The event as the log keeps it.
            ///
            /// # Errors
            ///
            /// [`EncodeError`] if the event cannot be written as JSON: then it must not be recorded.
            pub fn encode(&self) -> Result<Encoded, EncodeError> {
                match self {
                    $(Self::$kind(event) => event.encode(),)*
                }
            }

            /// Its box, if it has one.
            #[must_use]
            pub fn sealed(&self) -> Option<&Sealed> {
                match self {
                    $(Self::$kind(event) => event.sealed(),)*
                }
            }

            /// Type and version as it is written.
            #[must_use]
            pub const fn schema(&self) -> Schema {
                match self {
                    $(Self::$kind(event) => event.schema(),)*
                }
            }

            /// Its public name: `transaction.created`.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$kind(event) => event.name(),)*
                }
            }

            /// The kind of streams that it belongs to.
            #[must_use]
            pub const fn kind(&self) -> Kind {
                match self {
                    $(Self::$kind(_) => Kind::$kind,)*
                }
            }

            /// Reads an event that the log kept, in whatever version; what comes out is the one that is written today.
            ///
            /// # Errors
            ///
            /// [`DecodeError`] if the type is unknown to this binary or the data is not of its type.
            pub fn decode(schema: Schema, data: &[u8], sealed: Option<&Sealed>) -> Result<Self, DecodeError> {
                $(if let Some(event) = $module::Event::decode(schema, data, sealed) {
                    return event.map(Self::$kind);
                })*
                Err(DecodeError::Unknown(schema))
            }
        }

        /// What is written and what is no longer written, by aggregate.
        const TABLES: &[(Table, Table)] = &[$(($module::Event::SCHEMAS, $module::Event::OUTDATED)),*];
    };
}

aggregates!(events_of_all);

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

impl Event {
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
        TABLES.iter().flat_map(|(written, _)| *written).copied()
    }

    /// Type, version and name of every event in versions that are read and no longer written.
    pub fn outdated() -> impl Iterator<Item = (Schema, &'static str)> {
        TABLES.iter().flat_map(|(_, outdated)| *outdated).copied()
    }
}

/// Schemas and the names of their types.
pub(crate) type Table = &'static [(Schema, &'static str)];

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
