//! Client for addresses that a platform chose, for example of its subscriptions. It protects our network against
//! server-side request forgery (SSRF). Every address of a host is checked, and the connection is made to one of the
//! checked addresses: a name that resolves differently a moment later has no effect. Redirects are not followed, and no
//! proxy is used.

mod address;
mod resolve;
mod target;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

pub use address::{is_loopback, not_public};
use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Request, Uri};
pub use resolve::{Resolver, SystemResolver};
use rustls::pki_types::CertificateDer;
pub use target::{BadTarget, Host, Target};
use tokio::time::{Instant, timeout_at};

use crate::answer::{Answer, PendingResponse};
use crate::connector::AddressPolicy;
use crate::failure::Failure;
use crate::pool::{MAX_OPEN_WHILE_KEEPING, Pool};
use crate::{CALL_TIMEOUT, tls};

/// Timeout for a call to a receiver that did not answer the last time.
pub const SHORT_CALL_TIMEOUT: Duration = Duration::from_secs(5);

/// Ports that are permitted for `https`, and below for `http`.
const PORTS: [u16; 2] = [443, 8443];
const UNENCRYPTED_PORTS: [u16; 2] = [80, 8080];

/// One call: a POST of JSON. The receiver may get it twice.
#[derive(Clone, Debug)]
pub struct Call {
    /// Address as the platform gave it.
    pub url: String,
    /// Permits `http`.
    pub in_the_clear: bool,
    /// Additional headers. Content type and host are always sent.
    pub headers: HeaderMap,
    /// Body in JSON.
    pub body: Bytes,
}

/// Outcome of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Duration of the call.
    pub took: Duration,
    /// Response of the receiver, or the reason for which there is none.
    pub outcome: Result<Answer, Failure>,
}

impl Attempt {
    /// Returns true if the receiver accepted the call with a status from 200 to 299.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        self.outcome.as_ref().is_ok_and(|answer| (200..300).contains(&answer.status))
    }

    /// Returns true if the receiver sent nothing before the timeout.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.outcome.as_ref().is_err_and(Failure::is_silence)
    }
}

/// Calls addresses that a platform chose. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    pool: Arc<Pool<Guard>>,
    deadline: Duration,
}

impl Client {
    /// Creates a client that resolves names by `resolver` and trusts the public certificate authorities and
    /// `more_roots`. With `loopback` it also calls this machine, on any port; only `daybook dev` sets it.
    ///
    /// # Errors
    ///
    /// Fails if one of `more_roots` is not a valid certificate.
    pub fn new(
        resolver: Arc<dyn Resolver>,
        loopback: bool,
        more_roots: &[CertificateDer<'_>],
    ) -> Result<Self, rustls::Error> {
        let pool =
            Pool::new(Guard { resolver, loopback }, tls::connector(more_roots)?, MAX_OPEN_WHILE_KEEPING);
        Ok(Self { pool: Arc::new(pool), deadline: CALL_TIMEOUT })
    }

    /// Returns the client with another timeout than [`CALL_TIMEOUT`].
    #[must_use]
    pub fn within(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    /// Returns a client for receivers that did not answer the last time. It waits [`SHORT_CALL_TIMEOUT`] at most.
    #[must_use]
    pub fn hurried(&self) -> Self {
        self.clone().within(self.deadline.min(SHORT_CALL_TIMEOUT))
    }

    /// Calls once. Dropping the future ends the call at once.
    pub async fn call(&self, call: &Call) -> Attempt {
        let begun = Instant::now();
        let deadline = begun + self.deadline;
        let outcome = match timeout_at(deadline, self.begin(call)).await {
            // The head of a response decides: an endless body does not turn it into a failure.
            Ok(Ok(answering)) => Ok(answering.beginning(deadline).await),
            Ok(Err(failure)) => Err(failure),
            Err(_) => Err(Failure::Timeout),
        };
        Attempt { took: begun.elapsed(), outcome }
    }

    async fn begin(&self, call: &Call) -> Result<PendingResponse, Failure> {
        let target = Target::parse(&call.url)?;
        // Checked for each call: a connection that another call opened may be reused.
        if !target.is_encrypted && !call.in_the_clear {
            return Err(Failure::Unencrypted);
        }
        self.pool.send(request(&target, call)?, true).await
    }

    /// Number of open connections.
    #[cfg(test)]
    pub(crate) fn open(&self) -> usize {
        self.pool.open()
    }
}

/// Permits public addresses and the permitted ports only.
pub(crate) struct Guard {
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) loopback: bool,
}

impl AddressPolicy for Guard {
    async fn addresses(&self, to: &Uri) -> Result<Vec<SocketAddr>, Failure> {
        let target = Target::parse(&to.to_string())?;
        let found = match &target.host {
            Host::Address(address) => vec![*address],
            Host::Name(name) => self.resolver.addresses(name).await.map_err(|_| Failure::Lookup)?,
        };
        let ports = if target.is_encrypted { PORTS } else { UNENCRYPTED_PORTS };
        for address in &found {
            let is_own = self.loopback && is_loopback(*address);
            if !is_own && not_public(*address).is_some() {
                return Err(Failure::NotPublic(*address));
            }
            if !is_own && !ports.contains(&target.port) {
                return Err(Failure::Port(target.port));
            }
        }
        if found.is_empty() {
            return Err(Failure::Lookup);
        }
        Ok(found.into_iter().map(|address| SocketAddr::new(address, target.port)).collect())
    }
}

fn request(target: &Target, call: &Call) -> Result<Request<Full<Bytes>>, Failure> {
    let request = Request::post(target.address()?).body(Full::new(call.body.clone()));
    let mut request = request.map_err(|_| BadTarget::Unreadable)?;
    *request.headers_mut() = call.headers.clone();
    request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(request)
}
