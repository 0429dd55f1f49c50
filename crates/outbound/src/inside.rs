//! Hosts that our operator chose, wherever they are: anchors, collectors of traces, providers of identity. They mostly lie
//! inside our own network. No address that somebody else chose may come here.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::{Request, StatusCode, Uri};
use rustls::pki_types::CertificateDer;
use tokio::net::lookup_host;
use tokio::time::timeout;

use crate::connector::{Reach, host};
use crate::failure::Failure;
use crate::guarded::BadTarget;
use crate::pool::{MOST_OPEN, Pool};
use crate::{DEADLINE, tls};

/// Calls whom an operator chose; cheap to clone.
#[derive(Clone)]
pub struct Client {
    pool: Arc<Pool<Anywhere>>,
    may_repeat: bool,
}

impl Client {
    /// A client that believes the public's authorities and those in `more_roots`.
    ///
    /// # Errors
    ///
    /// If one of `more_roots` is no certificate.
    pub fn new(more_roots: &[CertificateDer<'_>]) -> Result<Self, rustls::Error> {
        let pool = Pool::new(Anywhere, tls::connector(more_roots)?, MOST_OPEN);
        Ok(Self { pool: Arc::new(pool), may_repeat: false })
    }

    /// The same for requests that may come twice, whatever their method.
    #[must_use]
    pub fn repeating(self) -> Self {
        Self { may_repeat: true, ..self }
    }

    /// Sends a request, whose address has scheme and host, and answers status and body. Dropped, it ends at once.
    ///
    /// # Errors
    ///
    /// [`Failure`], or what was wrong with the body: it has more than [`MAX_BODY`](crate::MAX_BODY) bytes, or was cut short.
    pub async fn send(
        &self,
        request: Request<Bytes>,
    ) -> Result<(StatusCode, Bytes), Box<dyn Error + Send + Sync>> {
        let may_repeat = self.may_repeat || request.method().is_idempotent();
        let exchange = async { self.pool.send(request.map(Full::new), may_repeat).await?.whole().await };
        timeout(DEADLINE, exchange).await.map_err(|_| Failure::Timeout)?
    }

    /// Number of open connections.
    #[cfg(test)]
    pub(crate) fn open(&self) -> usize {
        self.pool.open()
    }
}

/// Answers whether an address names a host that can be called.
#[must_use]
pub fn is_callable(address: &Uri) -> bool {
    matches!(address.scheme_str(), Some("http" | "https")) && address.host().is_some()
}

/// Every host, also on this machine.
pub(crate) struct Anywhere;

impl Reach for Anywhere {
    async fn addresses(&self, to: &Uri) -> Result<Vec<SocketAddr>, Failure> {
        let name = host(to).filter(|_| is_callable(to)).ok_or(BadTarget::Unreadable)?;
        let port = to.port_u16().unwrap_or(if to.scheme_str() == Some("https") { 443 } else { 80 });
        Ok(lookup_host((name, port)).await.map_err(|_| Failure::Lookup)?.collect())
    }
}
