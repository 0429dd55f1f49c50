//! What a service that is asked for too much does not carry out, and says so.

use hyper::StatusCode;
use hyper::header::RETRY_AFTER;

use super::client::Answer;

/// How many requests were turned away, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shed {
    /// Answered 429.
    pub(crate) too_many: u64,
    /// Answered 503.
    pub(crate) unavailable: u64,
    /// Of both, those that were not told when to come again.
    pub(crate) without_retry_after: u64,
    /// Found no free connection for so long that they were given up: whoever makes the load sees to that, not the service.
    pub(crate) never_sent: u64,
}

impl Shed {
    /// Counts an answer; false if it is no such answer.
    pub(super) fn count(&mut self, answer: &Answer) -> bool {
        match answer.status {
            StatusCode::TOO_MANY_REQUESTS => self.too_many += 1,
            StatusCode::SERVICE_UNAVAILABLE => self.unavailable += 1,
            _ => return false,
        }
        let seconds =
            answer.headers.get(RETRY_AFTER).and_then(|after| after.to_str().ok()?.parse::<u64>().ok());
        self.without_retry_after += u64::from(seconds.is_none());
        true
    }

    /// How many answers those were.
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
    use hyper::body::Bytes;
    use hyper::header::{HeaderMap, HeaderValue};

    use super::*;

    fn answer(status: u16, retry_after: Option<&'static str>) -> Answer {
        let value = retry_after.map(|after| (RETRY_AFTER, HeaderValue::from_static(after)));
        let status = StatusCode::from_u16(status).expect("a status");
        Answer { status, headers: HeaderMap::from_iter(value), body: Bytes::new() }
    }

    #[test]
    fn who_is_not_told_when_to_come_again_is_counted() {
        let mut shed = Shed::default();
        let table = [(503, Some("1")), (503, None), (429, Some("soon")), (429, Some("0"))];
        assert!(table.iter().all(|(status, after)| shed.count(&answer(*status, *after))));
        assert!(!shed.count(&answer(200, None)) && !shed.count(&answer(500, Some("1"))));
        assert_eq!(shed, Shed { too_many: 2, unavailable: 2, without_retry_after: 2, never_sent: 0 });
        let mut twice = shed;
        twice.add(shed);
        assert_eq!((twice.answered(), twice.without_retry_after), (8, 4));
    }
}
