//! Bytes of a connection, in the clear or over TLS.

use std::io;
use std::time::Duration;

use actix_web::rt::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;

/// Time that a client has for the TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection in the clear, or over TLS.
pub(super) type Transport = Either<TcpStream, Box<TlsStream<TcpStream>>>;

/// Does the TLS handshake if there is an `acceptor`.
pub(super) async fn open(stream: TcpStream, acceptor: Option<&TlsAcceptor>) -> io::Result<Transport> {
    // An answer is one write: waiting for more bytes gains nothing.
    stream.set_nodelay(true)?;
    let Some(acceptor) = acceptor else { return Ok(Either::Left(stream)) };
    let secured = timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream)).await?;
    Ok(Either::Right(Box::new(secured?)))
}
