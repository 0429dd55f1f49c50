//! Counts the bytes of one request, to detect a pipelined request behind it. The beginning of the next request is then
//! in actix's buffer, where no time limit applies to its rest.
//!
//! Bytes are counted and not parsed, so with several pipelined requests some bytes look like the beginning of another
//! one. The only effect is that an idle connection ends sooner.

use super::request_tracker::BodyLength;

/// Bytes of a request, from its first byte to its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PipelineCounter {
    /// The last bytes that arrived, the newest last.
    tail: [u8; 3],
    /// True if the head is complete.
    has_head: bool,
    /// Number of bytes that arrived after the head.
    behind: u64,
    /// True if the request began among the bytes of the previous one, so that the end of its head is unknown.
    is_blurred: bool,
}

impl PipelineCounter {
    /// Counts bytes that arrived.
    pub(super) fn received(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !self.has_head
            && let Some(at) = rest.iter().position(|byte| *byte == b'\n')
        {
            self.push(&rest[..=at]);
            self.has_head = self.ends_with_blank_line();
            rest = &rest[at + 1..];
        }
        self.push(rest);
        if self.has_head {
            self.behind = self.behind.saturating_add(rest.len() as u64);
        }
    }

    /// Ends the request. Returns the counter of the next one, and true if bytes of it have already arrived.
    pub(super) fn end(self, is_whole: bool, body_length: BodyLength) -> (Self, bool) {
        let is_more = match body_length {
            BodyLength::Bytes(length) => self.is_blurred || self.behind > length,
            // Both end with a blank line, and the beginning of a request does not.
            BodyLength::Empty | BodyLength::Chunks => !self.ends_with_blank_line(),
        };
        let is_blurred = is_more || !is_whole;
        (Self { tail: self.tail, is_blurred, ..Self::default() }, is_more)
    }

    fn push(&mut self, bytes: &[u8]) {
        for byte in &bytes[bytes.len().saturating_sub(self.tail.len())..] {
            self.tail = [self.tail[1], self.tail[2], *byte];
        }
    }

    /// Returns true after a blank line, with or without carriage returns.
    const fn ends_with_blank_line(&self) -> bool {
        matches!(self.tail, [_, b'\n', b'\n'] | [b'\n', b'\r', b'\n'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GET: &str = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    const POST: &str = "POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\n";
    const CHUNKED: &str = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";

    /// Returns true if more bytes arrived than the requests contain; all ways to split the bytes give the same result.
    fn is_more(extents: &[BodyLength], text: &str) -> bool {
        let told = [1, 2, 3, 7, text.len()].map(|length| {
            let mut turn = PipelineCounter::default();
            text.as_bytes().chunks(length).for_each(|piece| turn.received(piece));
            extents.iter().fold(false, |_, body_length| {
                let (next, is_more) = turn.end(true, *body_length);
                turn = next;
                is_more
            })
        });
        assert!(told.iter().all(|one| *one == told[0]), "{text}");
        told[0]
    }

    #[test]
    fn a_request_alone_has_nothing_behind_it() {
        use BodyLength::{Bytes, Chunks, Empty};
        for (body_length, text) in [
            (Empty, GET.to_owned()),
            (Empty, GET.replace('\r', "")),
            (Bytes(4), format!("{POST}{{  }}")),
            (Bytes(4), format!("{POST}\r\n\r\n")),
            (Chunks, CHUNKED.to_owned()),
        ] {
            assert!(!is_more(&[body_length], &text), "{text}");
            for begun in ["G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: x\r\nX-A"] {
                assert!(is_more(&[body_length], &format!("{text}{begun}")), "{text}{begun}");
            }
        }
    }

    #[test]
    fn pipelined_requests_are_counted() {
        use BodyLength::{Bytes, Empty};
        assert!(!is_more(&[Empty, Empty], &[GET, GET].concat()));
        assert!(is_more(&[Empty, Empty], &[GET, GET, "GET"].concat()));
        assert!(!is_more(&[Bytes(4), Empty], &[POST, "{  }", GET].concat()));
        // The end of the body is unknown if its head began among other bytes.
        assert!(is_more(&[Empty, Bytes(4)], &[GET, "x", POST, "{  }"].concat()));
    }

    #[test]
    fn next_request_is_counted_from_zero() {
        let mut turn = PipelineCounter::default();
        for _ in 0..3 {
            turn.received(format!("{POST}{{  }}").as_bytes());
            let (next, is_more) = turn.end(true, BodyLength::Bytes(4));
            assert!(!is_more);
            turn = next;
        }
    }
}
