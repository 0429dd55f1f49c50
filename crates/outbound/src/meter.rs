//! Connections whose peer may send so many bytes and no more, whatever they mean: heads, interim answers, trailers, the
//! handshake below them.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A connection that fails as soon as its peer has sent more than it may.
#[derive(Debug)]
pub struct Metered<S> {
    inner: S,
    most: u64,
    left: u64,
}

/// The peer sent more than it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMuch {
    /// How many bytes it may send.
    pub most: u64,
}

impl fmt::Display for TooMuch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the peer sent more than {} bytes", self.most)
    }
}

impl std::error::Error for TooMuch {}

impl TooMuch {
    /// The one that an error came from, if it came from one.
    #[must_use]
    pub fn in_causes(error: &(dyn std::error::Error + 'static)) -> Option<Self> {
        std::iter::successors(Some(error), |error| error.source()).find_map(|error| {
            let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
            inner.and_then(|inner| inner.downcast_ref()).copied()
        })
    }
}

impl<S> Metered<S> {
    /// The connection `inner`, whose peer may send `most` bytes.
    pub fn new(inner: S, most: u64) -> Self {
        Self { inner, most, left: most }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        ready!(Pin::new(&mut this.inner).poll_read(cx, buf))?;
        let came = (buf.filled().len() - before) as u64;
        if let Some(left) = this.left.checked_sub(came) {
            this.left = left;
            return Poll::Ready(Ok(()));
        }
        this.left = 0;
        buf.set_filled(before);
        Poll::Ready(Err(io::Error::other(TooMuch { most: this.most })))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "a test")]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test]
    async fn as_many_bytes_come_as_may_and_not_one_more() {
        let mut read = vec![];
        Metered::new(&[7_u8; 100][..], 100).read_to_end(&mut read).await.expect("is within the bound");
        assert_eq!(read, [7; 100]);
        let error = Metered::new(&[7_u8; 101][..], 100).read_to_end(&mut vec![]).await.expect_err("is not");
        assert_eq!(TooMuch::in_causes(&error), Some(TooMuch { most: 100 }));
        assert_eq!(TooMuch::in_causes(&io::Error::other("else")), None);
    }
}
