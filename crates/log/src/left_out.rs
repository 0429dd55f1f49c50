//! What a reader of positions has no use for, so that it need not even be fetched.

use crate::{Error, NewEvent, PAGE, Position, Recorded, StreamKind};

/// Events that a reader has no use for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// All of streams of these kinds.
    pub kinds: Vec<StreamKind>,
    /// Of streams of these kinds all but the first.
    pub later: Vec<StreamKind>,
}

impl LeftOut {
    /// Whether `event` is left out.
    #[must_use]
    pub fn has(&self, event: &NewEvent) -> bool {
        let is_later = || event.version > 1 && self.later.contains(&event.stream_kind);
        self.kinds.contains(&event.stream_kind) || is_later()
    }

    /// Whether nothing is left out.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.kinds.is_empty() && self.later.is_empty()
    }

    /// A page as [`Log::read`](crate::Log::read) answers it, which has to reach its end, without what is left out.
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
