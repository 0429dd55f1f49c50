//! Connections with a limit on the number of bytes that the peer may send: heads, interim responses, trailers and TLS
//! framing count alike. Each exchange renews the allowance. Only the caller begins an exchange; nothing that the peer
//! does, or causes this side to write, counts as the beginning of one.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use crate::failure::causes;

/// The peer sent more bytes than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the peer sent more bytes than allowed")]
pub(crate) struct SizeExceeded;

impl SizeExceeded {
    /// Returns true if `error` was caused by exceeding the allowance.
    pub(crate) fn is_cause_of(error: &(dyn Error + 'static)) -> bool {
        causes(error).any(|error| {
            let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
            inner.is_some_and(<dyn Error + Send + Sync>::is::<Self>)
        })
    }
}

/// State of a connection, shared by the connection's task and the caller.
#[derive(Debug)]
pub(crate) struct Meter {
    made: Instant,
    left: AtomicU64,
    exchanges: AtomicU64,
    is_silent: AtomicBool,
    is_over: AtomicBool,
}

impl Meter {
    /// Creates the state of a connection whose peer may send `most` bytes before the first exchange.
    pub(crate) fn new(most: usize) -> Arc<Self> {
        let left = AtomicU64::new(most as u64);
        let (is_silent, is_over) = (AtomicBool::new(true), AtomicBool::new(false));
        Arc::new(Self { made: Instant::now(), left, exchanges: AtomicU64::new(0), is_silent, is_over })
    }

    /// Time at which the connection was made.
    pub(crate) fn made(&self) -> Instant {
        self.made
    }

    /// Begins an exchange in which the peer may send `most` bytes. Returns the number of earlier exchanges.
    pub(crate) fn begin(&self, most: usize) -> u64 {
        self.left.store(most as u64, Ordering::Relaxed);
        self.exchanges.fetch_add(1, Ordering::Relaxed)
    }

    /// Ends the connection unless a later exchange has begun than the one with `before` predecessors. Returns true if
    /// it ended the connection. Data that is not sent yet is discarded.
    pub(crate) fn end(&self, before: u64) -> bool {
        let is_last = self.exchanges.load(Ordering::Relaxed) == before + 1;
        self.is_over.fetch_or(is_last, Ordering::Relaxed);
        is_last
    }

    /// Fails if the connection has been ended.
    pub(crate) fn check(&self) -> io::Result<()> {
        if self.is_over.load(Ordering::Relaxed) {
            Err(io::ErrorKind::ConnectionAborted.into())
        } else {
            Ok(())
        }
    }

    /// Returns true if the peer has sent nothing since this side last wrote.
    pub(crate) fn is_silent(&self) -> bool {
        self.is_silent.load(Ordering::Relaxed)
    }

    /// Records that data was sent, by the peer or by this side. Data of the TLS layer does not count.
    pub(crate) fn said(&self, by_peer: bool) {
        self.is_silent.store(!by_peer, Ordering::Relaxed);
    }

    fn take(&self, came: u64) -> Result<(), SizeExceeded> {
        let left =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(came));
        left.map(|_| ()).map_err(|_| SizeExceeded)
    }
}

/// A connection that fails as soon as its peer has sent more bytes than its meter allows.
#[derive(Debug)]
pub(crate) struct Metered<S> {
    inner: S,
    meter: Arc<Meter>,
}

impl<S> Metered<S> {
    /// Wraps the connection `inner`; `meter` counts the bytes that are read.
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
        assert!(SizeExceeded::is_cause_of(&error.expect_err("is not")));
        assert!(!SizeExceeded::is_cause_of(&io::Error::other("else")));
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
