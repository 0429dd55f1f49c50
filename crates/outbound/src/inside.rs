//! Client for hosts that our operator chose: anchors, trace collectors and identity providers. They are mostly inside
//! our own network, so any address is permitted. An address that a platform chose must not be passed to this client.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::{Request, StatusCode, Uri};
use rustls::pki_types::CertificateDer;
use tokio::net::lookup_host;
use tokio::time::timeout;

use crate::connector::{AddressPolicy, host};
use crate::failure::Failure;
use crate::guarded::BadTarget;
use crate::pool::{MAX_OPEN_WHILE_KEEPING, Pool};
use crate::{CALL_TIMEOUT, tls};

/// Calls hosts that an operator chose. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    pool: Arc<Pool<Anywhere>>,
    may_repeat: bool,
}

impl Client {
    /// Creates a client that trusts the public certificate authorities and `more_roots`.
    ///
    /// # Errors
    ///
    /// Fails if one of `more_roots` is not a valid certificate.
    pub fn new(more_roots: &[CertificateDer<'_>]) -> Result<Self, rustls::Error> {
        let pool = Pool::new(Anywhere, tls::connector(more_roots)?, MAX_OPEN_WHILE_KEEPING);
        Ok(Self { pool: Arc::new(pool), may_repeat: false })
    }

    /// Returns a client whose requests may be sent twice, regardless of their method.
    #[must_use]
    pub fn repeating(self) -> Self {
        Self { may_repeat: true, ..self }
    }

    /// Sends a request and returns status and body. The request's address has scheme and host. Dropping the future ends
    /// the call at once.
    ///
    /// # Errors
    ///
    /// [`Failure`], or an error of the body: it is longer than [`MAX_BODY_BYTES`](crate::MAX_BODY_BYTES) bytes or cut
    /// short.
    pub async fn send(
        &self,
        request: Request<Bytes>,
    ) -> Result<(StatusCode, Bytes), Box<dyn Error + Send + Sync>> {
        let may_repeat = self.may_repeat || request.method().is_idempotent();
        let exchange = async { self.pool.send(request.map(Full::new), may_repeat).await?.whole().await };
        timeout(CALL_TIMEOUT, exchange).await.map_err(|_| Failure::Timeout)?
    }

    /// Number of open connections.
    #[cfg(test)]
    pub(crate) fn open(&self) -> usize {
        self.pool.open()
    }
}

/// Returns true if the address has the scheme `http` or `https`, and a host.
#[must_use]
pub fn is_callable(address: &Uri) -> bool {
    matches!(address.scheme_str(), Some("http" | "https")) && address.host().is_some()
}

/// Permits every host, including this machine.
pub(crate) struct Anywhere;

impl AddressPolicy for Anywhere {
    async fn addresses(&self, to: &Uri) -> Result<Vec<SocketAddr>, Failure> {
        let name = host(to).filter(|_| is_callable(to)).ok_or(BadTarget::Unreadable)?;
        let port = to.port_u16().unwrap_or(if to.scheme_str() == Some("https") { 443 } else { 80 });
        Ok(lookup_host((name, port)).await.map_err(|_| Failure::Lookup)?.collect())
    }
}
