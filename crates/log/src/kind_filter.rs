//! Filter by stream kind for reads of positions. The database does not send the events that are left out.

use crate::{EncodedEvent, Error, PAGE, Position, Recorded, StreamKind};

/// Events that a reader of the log does not need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KindFilter {
    /// Kinds of streams of which every event is left out.
    pub kinds: Vec<StreamKind>,
    /// Kinds of streams of which every event after the first one is left out.
    pub later: Vec<StreamKind>,
}

impl KindFilter {
    /// Returns true if `event` is left out.
    #[must_use]
    pub fn has(&self, event: &EncodedEvent) -> bool {
        let is_later = || event.version > 1 && self.later.contains(&event.stream_kind);
        self.kinds.contains(&event.stream_kind) || is_later()
    }

    /// Returns true if the filter leaves out no event.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.kinds.is_empty() && self.later.is_empty()
    }

    /// Filters a page that [`Log::read`](crate::Log::read) returned for the positions after `after` up to `up_to`.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the page ends before `up_to` and before the page limit.
    pub(crate) fn of(
        &self,
        mut page: Vec<Recorded>,
        after: Position,
        up_to: Position,
    ) -> Result<Vec<Recorded>, Error> {
        let good = page.last().map_or(after, |last| last.position);
        if good < after.saturating_add(u64::from(PAGE)).min(up_to) {
            return Err(Error::missing_after(good));
        }
        page.retain(|event| !self.has(&event.event));
        Ok(page)
    }
}
