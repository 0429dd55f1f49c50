//! The table of one aggregate's events.

/// Declares the events of one aggregate, one per line: variant and payload, type, version and name, then the older
/// versions, each with its `Outdated` type. A missing version does not compile.
macro_rules! events {
    ($aggregate:ident: $(
        $(#[$doc:meta])* $variant:ident = $event_type:literal v $version:literal $name:literal
        $(after [$($old_version:literal: $old:ty),+])?,
    )+) => {
        /// An event of an aggregate of this kind. Stored for ever: read `event.rs` before you change a field.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Event {
            $($(#[$doc])* $variant($variant),)+
        }

        impl Event {
            /// Type, version and public name of every event of this aggregate.
            pub(crate) const SCHEMAS: $crate::event::Table =
                &[$(($crate::event::Schema { event_type: $event_type, version: $version }, $name),)+];

            /// The outdated versions: still read, never written.
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

            /// Decodes an event; `None` if the type belongs to another aggregate.
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
