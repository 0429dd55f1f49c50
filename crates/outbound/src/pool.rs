//! Connection pool. Idle connections are kept for a while and reused by the next call to the same host.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{HOST, HeaderValue, USER_AGENT};
use hyper::{Request, Response};
use hyper_util::client::legacy::connect::{CaptureConnection, capture_connection};
use hyper_util::client::legacy::{Client, ResponseFuture};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::Instant;
use tokio_rustls::TlsConnector;

use crate::answer::{MAX_FIELDS, MAX_HEAD_BYTES, MAX_RESPONSE_BYTES, PendingResponse};
use crate::connector::{AddressPolicy, Connector};
use crate::failure::Failure;
use crate::meter::Meter;

/// Time after which an idle connection is closed. It is shorter than the idle timeout of most gateways and receivers.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of idle connections per host.
pub(crate) const MAX_IDLE_PER_HOST: usize = 16;
/// Number of open connections, over all hosts, above which no connection is kept after its call.
pub(crate) const MAX_OPEN_WHILE_KEEPING: usize = 1_024;

type Connections<R> = Client<Connector<R>, Full<Bytes>>;

/// Pool of connections to the hosts that `R` permits.
pub(crate) struct Pool<R> {
    kept: Connections<R>,
    /// Client that opens a connection for each request and keeps none.
    new: Connections<R>,
    open: Weak<()>,
    most_open: usize,
}

impl<R: AddressPolicy> Pool<R> {
    /// Creates a pool that keeps connections while at most `most_open` are open.
    pub(crate) fn new(reach: R, tls: TlsConnector, most_open: usize) -> Self {
        let connector = Connector::new(reach, tls);
        let keeping = |count| {
            Client::builder(TokioExecutor::new())
                .pool_timer(TokioTimer::new())
                .pool_idle_timeout(IDLE_TIMEOUT)
                .pool_max_idle_per_host(count)
                .http1_max_buf_size(MAX_HEAD_BYTES)
                .http1_max_headers(MAX_FIELDS)
                .set_host(false)
                .build(connector.clone())
        };
        Self { kept: keeping(MAX_IDLE_PER_HOST), new: keeping(0), open: connector.open(), most_open }
    }

    /// Number of open connections.
    pub(crate) fn open(&self) -> usize {
        self.open.strong_count().saturating_sub(1)
    }

    /// Sends `request`, whose address has scheme and host, and waits for the head of a response. If a kept connection
    /// ends without a byte from the peer, a request that `may_repeat` is sent again over a new connection: the peer may
    /// have closed the connection at that moment.
    pub(crate) async fn send(
        &self,
        mut request: Request<Full<Bytes>>,
        may_repeat: bool,
    ) -> Result<PendingResponse, Failure> {
        request.headers_mut().insert(USER_AGENT, HeaderValue::from_static("Daybook"));
        if let Some(host) = authority(&request) {
            request.headers_mut().insert(HOST, host);
        }
        let mut exchange = self.exchange(&self.kept, request.clone());
        match exchange.head().await {
            Ok(response) => return Ok(PendingResponse::new(response, exchange)),
            Err(Failure::Broken) if may_repeat && exchange.is_swallowed() => {}
            Err(failure) => return Err(failure),
        }
        let mut exchange = self.exchange(&self.new, request);
        Ok(PendingResponse::new(exchange.head().await?, exchange))
    }

    fn exchange(&self, over: &Connections<R>, mut request: Request<Full<Bytes>>) -> Exchange {
        let (asked, is_last) = (Instant::now(), self.open() > self.most_open);
        let connection = capture_connection(&mut request);
        Exchange { connection, sending: over.request(request), asked, begun: None, is_last, is_whole: false }
    }
}

/// Value of the `Host` header: host and port.
fn authority(request: &Request<Full<Bytes>>) -> Option<HeaderValue> {
    let authority = request.uri().authority()?.as_str();
    HeaderValue::from_str(authority.rsplit('@').next()?).ok()
}

/// One request and its response over a connection of the pool. If it is dropped before the end of the response, it
/// closes the connection at once: a peer that does not read would otherwise hold unsent data for ever.
pub(crate) struct Exchange {
    connection: CaptureConnection,
    sending: ResponseFuture,
    asked: Instant,
    /// Meter of the connection, and the number of earlier exchanges on it. `None` until the connection is known.
    begun: Option<(Arc<Meter>, u64)>,
    /// True if the connection is not kept in any case.
    is_last: bool,
    is_whole: bool,
}

impl Exchange {
    /// Waits for the head of a response. The peer's allowance is renewed when the request is handed over; the
    /// connection becomes known in the same step.
    async fn head(&mut self) -> Result<Response<Incoming>, Failure> {
        let answered = poll_fn(|cx| {
            let polled = Pin::new(&mut self.sending).poll(cx);
            self.look();
            polled
        });
        answered.await.map_err(|error| Failure::from(&error))
    }

    /// Begins the exchange on the current connection. It is another connection if the first one turned out to be
    /// closed.
    fn look(&mut self) {
        let connection = self.connection.connection_metadata();
        let Some(connected) = connection.as_ref() else { return };
        let mut carrier = Response::new(());
        connected.get_extras(carrier.extensions_mut());
        let Some(meter) = carrier.extensions_mut().remove::<Arc<Meter>>() else { return };
        if self.begun.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, &meter)) {
            return;
        }
        let before = meter.begin(MAX_RESPONSE_BYTES);
        if self.is_last {
            connected.poison();
        }
        self.begun = Some((meter, before));
    }

    /// Marks the response as complete, so that the connection is kept.
    pub(crate) fn finish(mut self) {
        self.is_whole = true;
    }

    /// Returns true if a reused connection ended without a byte from the peer.
    fn is_swallowed(&self) -> bool {
        let Some((meter, before)) = &self.begun else { return false };
        let is_kept = *before > 0 || meter.made() < self.asked;
        is_kept && meter.is_silent()
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        // Done before the fields are dropped: dropping them tells the connection's task that the response is not read.
        if let Some((meter, before)) = self.begun.as_ref().filter(|_| !self.is_whole)
            && meter.end(*before)
            && let Some(connected) = self.connection.connection_metadata().as_ref()
        {
            // The connection may be back in the pool already, and its task does not check the meter there.
            connected.poison();
        }
    }
}
