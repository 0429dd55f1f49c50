//! Addresses that somebody else chose, as a platform does where it subscribes. Called is who was looked at: every address of
//! a host is checked, and one of those very addresses is connected to, so a name that leads elsewhere a moment later leads
//! nowhere. No redirection is followed, and no proxy asked.

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

use crate::answer::{Answer, Answering};
use crate::connector::Reach;
use crate::failure::Failure;
use crate::pool::{MOST_OPEN, Pool};
use crate::{DEADLINE, tls};

/// The same for a receiver that said nothing the last time.
pub const SHORT_DEADLINE: Duration = Duration::from_secs(5);

/// The ports that are called by https, and by http.
const PORTS: [u16; 2] = [443, 8443];
const UNENCRYPTED_PORTS: [u16; 2] = [80, 8080];

/// One call: a POST of JSON, which the receiver may get twice.
#[derive(Clone, Debug)]
pub struct Call {
    /// The address, as somebody else gave it.
    pub url: String,
    /// Permits that it goes unencrypted.
    pub in_the_clear: bool,
    /// Headers that are said beside the body; content type and host are said anyway.
    pub headers: HeaderMap,
    /// JSON.
    pub body: Bytes,
}

/// Outcome of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Time that it took.
    pub took: Duration,
    /// Answer of the receiver, or why there is none.
    pub outcome: Result<Answer, Failure>,
}

impl Attempt {
    /// Answers whether the receiver took it.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        self.outcome.as_ref().is_ok_and(|answer| (200..300).contains(&answer.status))
    }

    /// Answers whether the receiver said nothing until the time was over.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.outcome.as_ref().is_err_and(Failure::is_silence)
    }
}

/// Calls those whom somebody else chose; cheap to clone.
#[derive(Clone)]
pub struct Client {
    pool: Arc<Pool<Guard>>,
    deadline: Duration,
}

impl Client {
    /// A client that asks `resolver` for names, and with `loopback` also calls this machine, on any port: for
    /// `daybook dev` alone. It believes the public's authorities and those in `more_roots`.
    ///
    /// # Errors
    ///
    /// If one of `more_roots` is no certificate.
    pub fn new(
        resolver: Arc<dyn Resolver>,
        loopback: bool,
        more_roots: &[CertificateDer<'_>],
    ) -> Result<Self, rustls::Error> {
        let pool = Pool::new(Guard { resolver, loopback }, tls::connector(more_roots)?, MOST_OPEN);
        Ok(Self { pool: Arc::new(pool), deadline: DEADLINE })
    }

    /// The same with another deadline than [`DEADLINE`].
    #[must_use]
    pub fn within(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    /// The same for a receiver that said nothing the last time: it waits [`SHORT_DEADLINE`] at most.
    #[must_use]
    pub fn hurried(&self) -> Self {
        self.clone().within(self.deadline.min(SHORT_DEADLINE))
    }

    /// Calls once. Dropped, it ends at once.
    pub async fn call(&self, call: &Call) -> Attempt {
        let begun = Instant::now();
        let deadline = begun + self.deadline;
        let outcome = match timeout_at(deadline, self.begin(call)).await {
            // Whoever answered has answered: a body that never ends takes nothing back.
            Ok(Ok(answering)) => Ok(answering.beginning(deadline).await),
            Ok(Err(failure)) => Err(failure),
            Err(_) => Err(Failure::Timeout),
        };
        Attempt { took: begun.elapsed(), outcome }
    }

    async fn begin(&self, call: &Call) -> Result<Answering, Failure> {
        let target = Target::parse(&call.url)?;
        // Of this call, whoever made the connection that is used again.
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

/// Lets through to the public's addresses and ports alone.
pub(crate) struct Guard {
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) loopback: bool,
}

impl Reach for Guard {
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
