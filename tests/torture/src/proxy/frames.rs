//! One direction of a connection, split into messages of PostgreSQL's protocol (version 3).

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Code by which a client asks for TLS, in place of a protocol version.
const SSL_REQUEST: u32 = 80_877_103;

/// Splits a stream into messages.
pub(super) struct Frames<R> {
    from: R,
    buffer: BytesMut,
    /// True until the startup message of a client, which has no type.
    is_first: bool,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    /// Splits the data of a client.
    pub(super) fn of_client(from: R) -> Self {
        Self { from, buffer: BytesMut::new(), is_first: true }
    }

    /// Splits the data of a server.
    pub(super) fn of_server(from: R) -> Self {
        Self { from, buffer: BytesMut::new(), is_first: false }
    }

    /// Returns the next complete message, or none at the end. Is cancellation safe: the future may be dropped without
    /// loss.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(frame) = self.split() {
                // A request for TLS is followed by the startup message.
                self.is_first &= is_ssl_request(&frame);
                return Some(frame);
            }
            if self.from.read_buf(&mut self.buffer).await.ok()? == 0 {
                return None;
            }
        }
    }

    fn split(&mut self) -> Option<Bytes> {
        let type_length = usize::from(!self.is_first);
        // The length includes itself, but not the type.
        let length = self.buffer.get(type_length..type_length + 4)?.get_u32();
        let end = type_length + usize::try_from(length).ok()?;
        (self.buffer.len() >= end).then(|| self.buffer.split_to(end).freeze())
    }
}

/// Returns true for a request for TLS.
pub(super) fn is_ssl_request(frame: &Bytes) -> bool {
    frame.len() == 8 && frame.get(4..).is_some_and(|mut code| code.get_u32() == SSL_REQUEST)
}

/// Returns true for a COMMIT.
pub(super) fn is_commit(frame: &Bytes) -> bool {
    let text = frame.strip_prefix(b"Q").and_then(|rest| rest.get(4..));
    text.is_some_and(|text| text.eq_ignore_ascii_case(b"commit\0"))
}

/// Returns true for a message of the client that the server answers with `ReadyForQuery`.
pub(super) fn is_question(frame: &Bytes) -> bool {
    matches!(frame.first(), Some(b'Q' | b'S'))
}

/// Returns true for `ReadyForQuery`.
pub(super) fn is_ready(frame: &Bytes) -> bool {
    frame.first() == Some(&b'Z')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn messages_are_complete_and_first_is_untyped() {
        let bytes = [
            &[0, 0, 0, 8, 4, 210, 22, 47][..],
            &[0, 0, 0, 9, 0, 3, 0, 0, 0],
            b"Q\0\0\0\x0bCOMMIT\0",
            b"Q\0\0\0\x0brollba",
        ]
        .concat();
        let mut frames = Frames::of_client(bytes.as_slice());
        let mut next = async || frames.next().await;
        assert!(is_ssl_request(&next().await.unwrap_or_default()));
        assert_eq!(next().await.map(|frame| frame.len()), Some(9));
        let commit = next().await.unwrap_or_default();
        assert!(is_commit(&commit) && is_question(&commit));
        assert_eq!(next().await, None);
    }
}
