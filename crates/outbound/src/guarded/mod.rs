//! The client that calls out. It calls whom it looked at: every address of a host is checked, and one of those very
//! addresses is connected to, so a name that leads elsewhere a moment later leads nowhere. It follows no redirection, asks
//! no proxy, and keeps no connection.

mod address;
mod resolve;
mod target;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

pub use address::{is_loopback, not_public};
use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONNECTION, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, USER_AGENT};
pub use resolve::{Resolver, SystemResolver};
use rustls::pki_types::CertificateDer;
pub use target::{BadTarget, Host, Target};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;

use crate::answer::{self, Answer, Answering, MAX_SENT};
use crate::failure::Failure;
use crate::meter::Metered;
use crate::{DEADLINE, tls};

/// The same for a receiver that said nothing the last time.
pub const SHORT_DEADLINE: Duration = Duration::from_secs(5);
/// How long each address of a host is tried.
const CONNECT: Duration = Duration::from_secs(5);
/// How many addresses of a host are tried.
const TRIED: usize = 3;

/// The ports that are called by https, and in a sandbox by http.
const PORTS: [u16; 2] = [443, 8443];
const UNENCRYPTED_PORTS: [u16; 2] = [80, 8080];

/// One call: a POST of JSON.
#[derive(Clone, Debug)]
pub struct Call {
    /// The address, as somebody else gave it.
    pub url: String,
    /// Whether it may go unencrypted.
    pub in_the_clear: bool,
    /// What is said beside the body; content type and host are said anyway.
    pub headers: HeaderMap,
    /// JSON.
    pub body: Bytes,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// How long it took.
    pub took: Duration,
    /// What the receiver said, or why it said nothing.
    pub outcome: Result<Answer, Failure>,
}

impl Attempt {
    /// Whether the receiver took it.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        self.outcome.as_ref().is_ok_and(|answer| (200..300).contains(&answer.status))
    }

    /// Whether the receiver said nothing until the time was over.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.outcome.as_ref().is_err_and(Failure::is_silence)
    }
}

/// Calls out; cheap to clone.
#[derive(Clone)]
pub struct Client {
    resolver: Arc<dyn Resolver>,
    tls: TlsConnector,
    loopback: bool,
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
        Ok(Self { resolver, tls: tls::connector(more_roots)?, loopback, deadline: DEADLINE })
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
            Ok(Ok(answering)) => Ok(answering.finish(deadline).await),
            Ok(Err(failure)) => Err(failure),
            Err(_) => Err(Failure::Timeout),
        };
        Attempt { took: begun.elapsed(), outcome }
    }

    async fn begin(&self, call: &Call) -> Result<Answering, Failure> {
        let target = Target::parse(&call.url)?;
        let addresses = self.addresses(&target, call.in_the_clear).await?;
        let request = request(&target, call)?;
        let stream = connect(&addresses).await?;
        if !target.is_encrypted {
            return answer::send(stream, request).await;
        }
        let secure = self.tls.connect(tls::server_name(&target.host)?, stream).await;
        answer::send(secure.map_err(|error| Failure::Tls(error.to_string()))?, request).await
    }

    /// Where the target is: all of its addresses may be called, or none is.
    pub(crate) async fn addresses(
        &self,
        target: &Target,
        in_the_clear: bool,
    ) -> Result<Vec<SocketAddr>, Failure> {
        if !target.is_encrypted && !in_the_clear {
            return Err(Failure::Unencrypted);
        }
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

/// A connection to the first of `addresses` that takes one.
async fn connect(addresses: &[SocketAddr]) -> Result<Metered<TcpStream>, Failure> {
    let mut failure = Failure::Lookup;
    for address in addresses.iter().take(TRIED) {
        match timeout(CONNECT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                // One small request and its end: there is nothing to gather.
                let _ = stream.set_nodelay(true);
                return Ok(Metered::new(stream, MAX_SENT as u64));
            }
            Ok(Err(error)) => failure = Failure::Connect(error.kind()),
            Err(_) => failure = Failure::Connect(std::io::ErrorKind::TimedOut),
        }
    }
    Err(failure)
}

fn request(target: &Target, call: &Call) -> Result<hyper::Request<Full<Bytes>>, Failure> {
    let mut request = hyper::Request::post(target.path.clone())
        .body(Full::new(call.body.clone()))
        .map_err(|_| BadTarget::Unreadable)?;
    let host = HeaderValue::from_str(&target.authority).map_err(|_| BadTarget::Unreadable)?;
    let headers = request.headers_mut();
    *headers = call.headers.clone();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(USER_AGENT, HeaderValue::from_static("Daybook"));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    headers.insert(HOST, host);
    Ok(request)
}
