//! A connection to a peer, encrypted or not, in the form that the pool holds.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hyper_util::client::legacy::connect::{Connected, Connection};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::meter::Meter;

/// Byte stream, encrypted or not.
pub(crate) trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Io for S {}

/// A connection, above the TLS layer.
pub(crate) struct Stream {
    inner: Box<dyn Io>,
    meter: Arc<Meter>,
    /// Token shared by all connections of a pool. Its reference count gives the number of open connections.
    _open: Arc<()>,
}

impl Stream {
    /// Wraps the connection `inner`; `meter` counts the bytes of its socket.
    pub(crate) fn new(inner: impl Io + 'static, meter: Arc<Meter>, open: Arc<()>) -> Self {
        Self { inner: Box::new(inner), meter, _open: open }
    }
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        Connected::new().extra(Arc::clone(&self.meter))
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        if buf.filled().len() > before {
            self.meter.said(true);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.meter.said(false);
        self.meter.check()?;
        Pin::new(&mut self.inner).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.meter.check()?;
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    /// Closes the connection without waiting: a peer that does not read would hold it for ever.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.inner).poll_shutdown(cx) {
            Poll::Pending => Poll::Ready(Ok(())),
            ended @ Poll::Ready(_) => ended,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    /// A peer that accepts no data.
    struct DroppedStream;

    impl AsyncRead for DroppedStream {
        fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            Poll::Pending
        }
    }

    impl AsyncWrite for DroppedStream {
        fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
            Poll::Pending
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Pending
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Pending
        }
    }

    #[tokio::test]
    async fn shutdown_never_waits_for_the_peer() {
        let mut stream = Stream::new(DroppedStream, Meter::new(0), Arc::default());
        let ended = tokio::time::timeout(std::time::Duration::from_millis(50), stream.shutdown()).await;
        ended.expect("at once").expect("without an error");
    }
}
