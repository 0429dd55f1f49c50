//! The bytes of a connection, in the clear or secured.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::rt::net::TcpStream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// How long a client may take to agree on keys.
const HANDSHAKE_WITHIN: Duration = Duration::from_secs(10);

/// A connection's bytes.
pub(super) enum Link {
    /// As they are.
    Plain(TcpStream),
    /// Secured.
    Tls(Box<TlsStream<TcpStream>>),
}

impl Link {
    /// Agrees with the client on how to be secured, if we are to be.
    pub(super) async fn open(stream: TcpStream, acceptor: Option<&TlsAcceptor>) -> io::Result<Self> {
        // An answer is one write: nothing is gained by waiting for more.
        stream.set_nodelay(true)?;
        let Some(acceptor) = acceptor else { return Ok(Self::Plain(stream)) };
        let secured = timeout(HANDSHAKE_WITHIN, acceptor.accept(stream)).await?;
        Ok(Self::Tls(Box::new(secured?)))
    }
}

impl AsyncRead for Link {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(io) => Pin::new(io).poll_read(cx, buffer),
            Self::Tls(io) => Pin::new(io).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Link {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(io) => Pin::new(io).poll_write(cx, bytes),
            Self::Tls(io) => Pin::new(io).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(io) => Pin::new(io).poll_flush(cx),
            Self::Tls(io) => Pin::new(io).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(io) => Pin::new(io).poll_shutdown(cx),
            Self::Tls(io) => Pin::new(io).poll_shutdown(cx),
        }
    }
}
