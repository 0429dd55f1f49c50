//! Versions of one event type: the current one, and older ones, each with an upcaster to the next.

use serde::de::DeserializeOwned;

use super::{DecodeError, Payload, Schema};
use crate::sealed::Sealed;

/// Data of one version of an event type, current or older.
pub(crate) trait Readable: DeserializeOwned {
    /// Data of the current version.
    type Current: Payload;
    /// Number of versions between this one and the current one: 0 for the current one.
    const BEHIND: i16;

    /// Converts the data to the current version.
    fn current(self) -> Self::Current;

    fn decode(schema: Schema, data: &[u8], sealed: Option<Sealed>) -> Result<Self::Current, DecodeError> {
        let read: Self =
            serde_json::from_slice(data).map_err(|source| DecodeError::Malformed { schema, source })?;
        let mut payload = read.current();
        payload.attach(sealed);
        Ok(payload)
    }
}

/// A version that is read and never written. It never changes again. Its sealed box is that of the current version.
pub(crate) trait Outdated: DeserializeOwned {
    /// The version after it.
    type Next: Readable;

    /// The upcaster: converts the data to the next version. It depends on the event alone, and it never fails.
    fn upcast(self) -> Self::Next;
}

impl<Old: Outdated> Readable for Old {
    type Current = <Old::Next as Readable>::Current;
    const BEHIND: i16 = <Old::Next as Readable>::BEHIND + 1;

    fn current(self) -> Self::Current {
        self.upcast().current()
    }
}

/// Returns true if `older` lists all versions before `current` in order, each with its distance to `current`.
pub(crate) const fn is_chain(older: &[(i16, i16)], current: i16) -> bool {
    let (mut at, mut version) = (0, 1);
    while at < older.len() {
        if older[at].0 != version || version + older[at].1 != current {
            return false;
        }
        (at, version) = (at + 1, version + 1);
    }
    version == current
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upcaster_chain_starts_at_one_without_gaps() {
        assert!(is_chain(&[], 1));
        assert!(is_chain(&[(1, 1)], 2));
        assert!(is_chain(&[(1, 2), (2, 1)], 3));
        for broken in
            [&[][..], &[(1, 1)], &[(2, 1)], &[(1, 1), (2, 1)], &[(2, 1), (1, 2)], &[(1, 2), (2, 1), (3, 0)]]
        {
            assert!(!is_chain(broken, 3), "{broken:?}");
        }
    }

    mod note {
        //! An event with three versions: a word; a list of words; a list of words and their number.

        use serde::{Deserialize, Serialize};

        use crate::event::{Outdated, Payload, Readable};

        #[derive(Deserialize)]
        pub(super) struct V1 {
            word: String,
        }

        impl Outdated for V1 {
            type Next = V2;

            fn upcast(self) -> V2 {
                V2 { words: vec![self.word] }
            }
        }

        #[derive(Deserialize)]
        pub(super) struct V2 {
            words: Vec<String>,
        }

        impl Outdated for V2 {
            type Next = Note;

            fn upcast(self) -> Note {
                Note { count: self.words.len(), words: self.words }
            }
        }

        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        pub(super) struct Note {
            pub(super) words: Vec<String>,
            pub(super) count: usize,
        }

        impl Payload for Note {}

        impl Readable for Note {
            type Current = Self;
            const BEHIND: i16 = 0;

            fn current(self) -> Self {
                self
            }
        }
    }

    #[test]
    fn old_version_passes_every_later_upcaster() {
        use note::{Note, V1, V2};

        let schema = Schema { event_type: 9999, version: 1 };
        let note = |words: &[&str]| Note {
            words: words.iter().map(ToString::to_string).collect(),
            count: words.len(),
        };
        assert_eq!(V1::decode(schema, br#"{"word":"a"}"#, None).ok(), Some(note(&["a"])));
        assert_eq!(V2::decode(schema, br#"{"words":["a","b"]}"#, None).ok(), Some(note(&["a", "b"])));
        assert_eq!((V1::BEHIND, V2::BEHIND, Note::BEHIND), (2, 1, 0));
        assert!(matches!(V1::decode(schema, b"{}", None), Err(DecodeError::Malformed { .. })));
    }
}
