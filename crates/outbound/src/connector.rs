//! Opens connections. The permitted addresses of a host are tried one after the other; TLS verifies the host's name.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tower_service::Service;

use crate::CALL_TIMEOUT;
use crate::answer::MAX_TLS_BYTES;
use crate::failure::Failure;
use crate::meter::{Meter, Metered};
use crate::stream::Stream;

/// Timeout for connecting to one address of a host.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of addresses of a host that are tried.
const MAX_ADDRESSES_TRIED: usize = 3;

/// Resolves hosts to addresses and decides which addresses may be called.
pub(crate) trait AddressPolicy: Send + Sync + 'static {
    /// Returns the addresses of the host of `to`, preferred ones first. Fails unless all of them may be called.
    fn addresses(&self, to: &Uri) -> impl Future<Output = Result<Vec<SocketAddr>, Failure>> + Send;
}

/// Host of an address in the form that is resolved: without brackets.
pub(crate) fn host(address: &Uri) -> Option<&str> {
    Some(address.host()?.trim_start_matches('[').trim_end_matches(']'))
}

/// Opens connections to the hosts that `R` permits.
pub(crate) struct Connector<R>(Arc<Inner<R>>);

struct Inner<R> {
    reach: R,
    tls: TlsConnector,
    open: Arc<()>,
}

impl<R> Connector<R> {
    pub(crate) fn new(reach: R, tls: TlsConnector) -> Self {
        Self(Arc::new(Inner { reach, tls, open: Arc::default() }))
    }

    /// Token that each open connection holds, and the connector itself.
    pub(crate) fn open(&self) -> Weak<()> {
        Arc::downgrade(&self.0.open)
    }
}

impl<R> Clone for Connector<R> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<R: AddressPolicy> Service<Uri> for Connector<R> {
    type Response = TokioIo<Stream>;
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Failure>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        Poll::Ready(Ok(()))
    }

    /// Opens a connection. The pool continues to open it even if its call got another connection in the meantime, so it
    /// has a timeout of its own.
    fn call(&mut self, to: Uri) -> Self::Future {
        let inner = Arc::clone(&self.0);
        Box::pin(async move {
            let connected = timeout(CALL_TIMEOUT, inner.connect(&to)).await.map_err(|_| Failure::Timeout)?;
            connected.map(TokioIo::new)
        })
    }
}

impl<R: AddressPolicy> Inner<R> {
    async fn connect(&self, to: &Uri) -> Result<Stream, Failure> {
        let addresses = self.reach.addresses(to).await?;
        let (socket, meter) = (connected(&addresses).await?, Meter::new(MAX_TLS_BYTES));
        let (socket, open) = (Metered::new(socket, Arc::clone(&meter)), Arc::clone(&self.open));
        if to.scheme_str() != Some("https") {
            return Ok(Stream::new(socket, meter, open));
        }
        let name = host(to).and_then(|host| ServerName::try_from(host.to_owned()).ok());
        let name = name.ok_or_else(|| Failure::Tls("the host name is not valid".to_owned()))?;
        let secure = self.tls.connect(name, socket).await;
        Ok(Stream::new(secure.map_err(|error| Failure::Tls(error.to_string()))?, meter, open))
    }
}

/// Connects to the first of `addresses` that accepts a connection.
async fn connected(addresses: &[SocketAddr]) -> Result<TcpStream, Failure> {
    let mut failure = Failure::Lookup;
    for address in addresses.iter().take(MAX_ADDRESSES_TRIED) {
        match timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                // A request is small and written at once: delaying packets gains nothing.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Ok(Err(error)) => failure = Failure::Connect(error.kind()),
            Err(_) => failure = Failure::Connect(io::ErrorKind::TimedOut),
        }
    }
    Err(failure)
}
