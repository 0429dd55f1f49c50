//! The data of one type of event, and the box beside it.

use serde::Serialize;

use super::{EncodeError, Encoded, Readable, Schema};
use crate::sealed::Sealed;

/// What an entry of an account takes, the most frequent event, and most others do.
const ROOM: usize = 256;

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
