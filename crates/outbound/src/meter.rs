//! Connections whose peer may send so many bytes and no more, whatever they mean: heads, interim answers, trailers, what
//! surrounds them when they are encrypted. With each exchange the allowance begins anew. Whoever calls says so; nothing that
//! the peer does, or makes this side write, is taken for it.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use crate::failure::causes;

/// The peer sent more than it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the peer sent more than it may")]
pub(crate) struct TooMuch;

impl TooMuch {
    /// Answers whether an error came from one.
    pub(crate) fn is_cause_of(error: &(dyn Error + 'static)) -> bool {
        causes(error).any(|error| {
            let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
            inner.is_some_and(<dyn Error + Send + Sync>::is::<Self>)
        })
    }
}

/// State of a connection that its task and whoever calls share.
#[derive(Debug)]
pub(crate) struct Meter {
    made: Instant,
    left: AtomicU64,
    exchanges: AtomicU64,
    is_silent: AtomicBool,
    is_over: AtomicBool,
}

impl Meter {
    /// Makes that of a connection whose peer may send `most` bytes before the first exchange.
    pub(crate) fn new(most: usize) -> Arc<Self> {
        let left = AtomicU64::new(most as u64);
        let (is_silent, is_over) = (AtomicBool::new(true), AtomicBool::new(false));
        Arc::new(Self { made: Instant::now(), left, exchanges: AtomicU64::new(0), is_silent, is_over })
    }

    /// Moment at which the connection was made.
    pub(crate) fn made(&self) -> Instant {
        self.made
    }

    /// Begins an exchange in which the peer may send `most` bytes; answers how many there were before it.
    pub(crate) fn begin(&self, most: usize) -> u64 {
        self.left.store(most as u64, Ordering::Relaxed);
        self.exchanges.fetch_add(1, Ordering::Relaxed)
    }

    /// Ends the connection, unless another exchange has begun than the one that had `before`; answers whether it did. What
    /// is not sent yet stays so.
    pub(crate) fn end(&self, before: u64) -> bool {
        let is_last = self.exchanges.load(Ordering::Relaxed) == before + 1;
        self.is_over.fetch_or(is_last, Ordering::Relaxed);
        is_last
    }

    /// Refuses what belongs to a connection that is over.
    pub(crate) fn check(&self) -> io::Result<()> {
        if self.is_over.load(Ordering::Relaxed) {
            Err(io::ErrorKind::ConnectionAborted.into())
        } else {
            Ok(())
        }
    }

    /// Answers whether the peer has said nothing since it was told something.
    pub(crate) fn is_silent(&self) -> bool {
        self.is_silent.load(Ordering::Relaxed)
    }

    /// Notes that something was said, to the peer or by it; what only makes a connection secure is no saying.
    pub(crate) fn said(&self, by_peer: bool) {
        self.is_silent.store(!by_peer, Ordering::Relaxed);
    }

    fn take(&self, came: u64) -> Result<(), TooMuch> {
        let left =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(came));
        left.map(|_| ()).map_err(|_| TooMuch)
    }
}

/// A connection that fails as soon as its peer has sent more than its meter allows.
#[derive(Debug)]
pub(crate) struct Metered<S> {
    inner: S,
    meter: Arc<Meter>,
}

impl<S> Metered<S> {
    /// Wraps the connection `inner`, counted by `meter`.
    pub(crate) fn new(inner: S, meter: Arc<Meter>) -> Self {
        Self { inner, meter }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        ready!(Pin::new(&mut this.inner).poll_read(cx, buf))?;
        let came = (buf.filled().len() - before) as u64;
        Poll::Ready(this.meter.take(came).map_err(|error| {
            buf.set_filled(before);
            io::Error::other(error)
        }))
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
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test]
    async fn byte_beyond_the_allowance_fails() {
        let mut read = vec![];
        Metered::new(&[7_u8; 100][..], Meter::new(100))
            .read_to_end(&mut read)
            .await
            .expect("is within the bound");
        assert_eq!(read, [7; 100]);
        let error = Metered::new(&[7_u8; 101][..], Meter::new(100)).read_to_end(&mut vec![]).await;
        assert!(TooMuch::is_cause_of(&error.expect_err("is not")));
        assert!(!TooMuch::is_cause_of(&io::Error::other("else")));
    }

    #[tokio::test]
    async fn leftover_allowance_is_not_added() {
        let meter = Meter::new(100);
        let mut connection = Metered::new(&[7_u8; 250][..], Arc::clone(&meter));
        connection.read_exact(&mut [0; 60]).await.expect("is within the first");
        meter.begin(100);
        connection.read_exact(&mut [0; 100]).await.expect("is within the second");
        connection.read_exact(&mut [0; 1]).await.expect_err("is beyond it");
    }
}
