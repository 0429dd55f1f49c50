//! Data of one event type, and the sealed box beside it.

use serde::Serialize;

use super::{EncodeError, Encoded, Readable, Schema};
use crate::sealed::Sealed;

/// Initial capacity in bytes. It fits an entry of an account, the most frequent event, and most others.
const INITIAL_CAPACITY_BYTES: usize = 256;

/// Data of one event type, in the current version.
pub(crate) trait Payload: Readable<Current = Self> + Serialize {
    /// The sealed box that is stored beside the data.
    fn sealed(&self) -> Option<&Sealed> {
        None
    }

    /// Attaches the box that [`Payload::sealed`] returned.
    fn attach(&mut self, _sealed: Option<Sealed>) {}

    fn encode(&self, schema: Schema) -> Result<Encoded, EncodeError> {
        let mut data = Vec::with_capacity(INITIAL_CAPACITY_BYTES);
        serde_json::to_writer(&mut data, self).map_err(|source| EncodeError { schema, source })?;
        Ok(Encoded { schema, data, sealed: self.sealed().cloned() })
    }
}

/// Implements [`Payload`] for an event that has its sealed box in the given field.
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
