//! Requests that an overloaded service rejects.

use super::client::Answer;

/// Numbers of requests that were not carried out, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shed {
    /// Number of answers with 429.
    pub(crate) too_many: u64,
    /// Number of answers with 503.
    pub(crate) unavailable: u64,
    /// Number of these answers without Retry-After.
    pub(crate) without_retry_after: u64,
    /// Number of requests that the load generator gave up because no connection was free.
    pub(crate) never_sent: u64,
}

impl Shed {
    /// Counts an answer. Returns false if it is no rejection.
    pub(super) fn count(&mut self, answer: &Answer) -> bool {
        match answer.status {
            429 => self.too_many += 1,
            503 => self.unavailable += 1,
            _ => return false,
        }
        self.without_retry_after += u64::from(answer.retry_after.is_none());
        true
    }

    /// Returns the number of rejections.
    pub(crate) fn answered(&self) -> u64 {
        self.too_many + self.unavailable
    }

    pub(super) fn add(&mut self, other: Self) {
        self.too_many += other.too_many;
        self.unavailable += other.unavailable;
        self.without_retry_after += other.without_retry_after;
        self.never_sent += other.never_sent;
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn answer(status: u16, retry_after: Option<u64>) -> Answer {
        Answer { status, position: 0, retry_after, body: Bytes::new() }
    }

    #[test]
    fn rejections_without_retry_after_are_counted() {
        let mut shed = Shed::default();
        let table = [(503, Some(1)), (503, None), (429, None), (429, Some(0))];
        assert!(table.iter().all(|(status, after)| shed.count(&answer(*status, *after))));
        assert!(!shed.count(&answer(200, None)) && !shed.count(&answer(500, Some(1))));
        assert_eq!(shed, Shed { too_many: 2, unavailable: 2, without_retry_after: 2, never_sent: 0 });
        let mut twice = shed;
        twice.add(shed);
        assert_eq!((twice.answered(), twice.without_retry_after), (8, 4));
    }
}
