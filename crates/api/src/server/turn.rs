//! What came of one request, and whether something came behind it: the beginning of the next one lies in actix's buffer
//! then, where nobody waits for its rest.
//!
//! Bytes are counted and not read: of whoever sends several requests at once some look like the beginning of another one.
//! All that it costs them is that a connection is ended sooner on which nothing happens.

use super::activity::Extent;

/// A request, from its first byte to its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Turn {
    /// The last bytes that came, the newest last.
    tail: [u8; 3],
    /// Whether its head is there.
    has_head: bool,
    /// How many bytes came behind it.
    behind: u64,
    /// Whether it began among the bytes of the one before, so that nobody knows where its head ended.
    is_blurred: bool,
}

impl Turn {
    /// Bytes came.
    pub(super) fn came(&mut self, bytes: &[u8]) {
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

    /// It is answered: the next one, and whether something of that has come already.
    pub(super) fn end(self, is_whole: bool, extent: Extent) -> (Self, bool) {
        let is_more = match extent {
            Extent::Bytes(length) => self.is_blurred || self.behind > length,
            // Both end with a blank line, and what begins a request does not.
            Extent::Empty | Extent::Chunks => !self.ends_with_blank_line(),
        };
        let is_blurred = is_more || !is_whole;
        (Self { tail: self.tail, is_blurred, ..Self::default() }, is_more)
    }

    fn push(&mut self, bytes: &[u8]) {
        for byte in &bytes[bytes.len().saturating_sub(self.tail.len())..] {
            self.tail = [self.tail[1], self.tail[2], *byte];
        }
    }

    /// Lines end with or without a carriage return.
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

    /// Whether there is more, with the bytes in pieces of each length.
    fn is_more(extents: &[Extent], text: &str) -> bool {
        let told = [1, 2, 3, 7, text.len()].map(|length| {
            let mut turn = Turn::default();
            text.as_bytes().chunks(length).for_each(|piece| turn.came(piece));
            extents.iter().fold(false, |_, extent| {
                let (next, is_more) = turn.end(true, *extent);
                turn = next;
                is_more
            })
        });
        assert!(told.iter().all(|one| *one == told[0]), "{text}");
        told[0]
    }

    #[test]
    fn a_request_alone_has_nothing_behind_it() {
        use Extent::{Bytes, Chunks, Empty};
        for (extent, text) in [
            (Empty, GET.to_owned()),
            (Empty, GET.replace('\r', "")),
            (Bytes(4), format!("{POST}{{  }}")),
            (Bytes(4), format!("{POST}\r\n\r\n")),
            (Chunks, CHUNKED.to_owned()),
        ] {
            assert!(!is_more(&[extent], &text), "{text}");
            for begun in ["G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: x\r\nX-A"] {
                assert!(is_more(&[extent], &format!("{text}{begun}")), "{text}{begun}");
            }
        }
    }

    #[test]
    fn what_came_of_several_at_once_is_told_apart_where_it_can_be() {
        use Extent::{Bytes, Empty};
        assert!(!is_more(&[Empty, Empty], &[GET, GET].concat()));
        assert!(is_more(&[Empty, Empty], &[GET, GET, "GET"].concat()));
        assert!(!is_more(&[Bytes(4), Empty], &[POST, "{  }", GET].concat()));
        // Where a body ends whose head began among other bytes, nobody counts.
        assert!(is_more(&[Empty, Bytes(4)], &[GET, "x", POST, "{  }"].concat()));
    }

    #[test]
    fn the_next_one_is_counted_anew() {
        let mut turn = Turn::default();
        for _ in 0..3 {
            turn.came(format!("{POST}{{  }}").as_bytes());
            let (next, is_more) = turn.end(true, Extent::Bytes(4));
            assert!(!is_more);
            turn = next;
        }
    }
}
