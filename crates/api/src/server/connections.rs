//! Admission of connections: a limit in all and for each address, a limit of TLS handshakes in flight, and a short
//! answer to a client over the limit.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_http::error::DispatchError;
use actix_web::ResponseError;
use actix_web::rt::net::TcpStream;
use daybook_engine::share::{Limits, Permit, SharedLimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use super::ListenerOptions;
use super::malformed::MalformedHeads;
use super::stream::{self, Stream};
use super::timeout_stream::TimeoutStream;
use super::transport::{self, Transport};
use crate::app::App;
use crate::error::ApiError;
use crate::metrics::Metrics;
use crate::rate::{IpPrefix, RateLimiter};
use crate::share::LimitedResource;

/// Clients over the limit that are answered at the same time; the connections of others are closed without an answer.
const MAX_REJECTIONS_IN_FLIGHT: usize = 64;

/// Time that a client over the limit has to read its answer.
const REJECTION_TIMEOUT: Duration = Duration::from_secs(1);

/// TLS handshakes in flight, in all and from one address that is not a trusted proxy.
const MAX_HANDSHAKES: Limits = Limits { address: 32, ..Limits::of(1_024) };

/// A connection as actix reads and writes it.
pub(super) type Connection = Stream<TimeoutStream<Transport>>;

/// Admits connections; clones share the limits.
#[derive(Clone)]
pub(super) struct ConnectionGate {
    rates: Arc<RateLimiter>,
    connections: SharedLimit,
    rejections: SharedLimit,
    handshakes: SharedLimit,
    acceptor: Option<TlsAcceptor>,
    malformed: MalformedHeads,
    metrics: Metrics,
}

impl ConnectionGate {
    pub(super) fn new(app: &App, options: &ListenerOptions, acceptor: Option<TlsAcceptor>) -> Self {
        let limit = |count: usize| if count == 0 { usize::MAX } else { count };
        let connections = Limits {
            address: limit(options.connections_per_address),
            ..Limits::of(limit(options.connections))
        };
        Self {
            rates: Arc::clone(&app.rates),
            connections: SharedLimit::new(connections),
            rejections: SharedLimit::new(Limits::of(MAX_REJECTIONS_IN_FLIGHT)),
            handshakes: SharedLimit::new(MAX_HANDSHAKES),
            acceptor,
            malformed: MalformedHeads::new(app.observability.metrics.malformed.clone()),
            metrics: app.observability.metrics.clone(),
        }
    }

    /// Connections that actix has to accept for this gate to answer those over the limit itself: actix would let them
    /// wait.
    pub(super) const fn backlog(options: &ListenerOptions) -> usize {
        match options.connections {
            0 => usize::MAX / 2,
            limit => limit + 2 * MAX_REJECTIONS_IN_FLIGHT,
        }
    }

    /// Admits the connection and secures it, or rejects it.
    pub(super) async fn admit(
        self,
        io: TcpStream,
    ) -> Result<(Connection, Option<SocketAddr>), DispatchError> {
        let peer = io.peer_addr()?;
        // A proxy brings the connections of many clients.
        let from = Some(IpPrefix::of(peer.ip())).filter(|_| !self.rates.is_proxy(peer.ip()));
        let Ok(permit) = self.connections.take(1, from.map(IpPrefix::holder)) else {
            // Before the handshake a TLS client cannot read an answer.
            if self.acceptor.is_none()
                && let Ok(_permit) = self.rejections.take(1, None)
            {
                reject(io).await;
            }
            return Err(DispatchError::DisconnectTimeout);
        };
        let handshake = match &self.acceptor {
            None => None,
            Some(_) => Some(self.handshake(from).ok_or(DispatchError::DisconnectTimeout)?),
        };
        let link = transport::open(io, self.acceptor.as_ref()).await?;
        drop(handshake);
        let (is_secured, open) = (self.acceptor.is_some(), self.metrics.connections.clone());
        let stream = Stream::new(TimeoutStream::new(link, permit), self.malformed, open, is_secured);
        Ok((stream, Some(peer)))
    }

    /// A permit for a TLS handshake; none if there are too many in flight or the address began too many.
    fn handshake(&self, from: Option<IpPrefix>) -> Option<Permit> {
        let may = from.is_none_or(|from| self.rates.may_shake_hands(from));
        let permit = self.handshakes.take(1, from.map(IpPrefix::holder)).ok().filter(|_| may);
        if permit.is_none() {
            self.metrics.limit_reached(LimitedResource::Handshakes);
        }
        permit
    }
}

/// Answers 503 and closes. The request is read first: many clients ignore an answer that comes before it, and unread
/// bytes would make the kernel reset the connection under the answer.
async fn reject(mut io: TcpStream) {
    let answer = async {
        io.readable().await?;
        io.write_all(&stream::last_answer(ApiError::busy().error_response())).await?;
        io.shutdown().await?;
        let mut unread = [0; 4096];
        while io.read(&mut unread).await? > 0 {}
        Ok::<_, std::io::Error>(())
    };
    // If the client does not read the answer in time, the connection is dropped.
    let _ = timeout(REJECTION_TIMEOUT, answer).await;
}
