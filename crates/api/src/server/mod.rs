//! The HTTP server: limits, headers of every answer, and the contract's shape for whatever goes wrong outside handlers.

mod activity;
mod arrival;
mod certificate;
mod deadline;
mod exchange;
mod host;
mod link;
mod malformed;
mod patience;
pub(crate) mod pieces;
mod stream;
mod turn;
mod unread;

use std::net::{SocketAddr, TcpListener};
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_http::HttpService;
use actix_http::error::DispatchError;
use actix_service::{IntoServiceFactory, ServiceFactoryExt, fn_service, map_config};
use actix_web::body::MessageBody;
use actix_web::dev::{AppConfig, Server, ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::middleware::{DefaultHeaders, Next, from_fn};
use actix_web::rt::net::TcpStream;
use actix_web::{HttpResponse, ResponseError, web};
use daybook_engine::share::{Bounds, Share, Shares};
use futures::FutureExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use crate::app::App;
use crate::auth::{dry_run, headers};
use crate::error::{ApiError, OVER_TLS, SECURITY_HEADERS};
use crate::metrics::Metrics;
use crate::query::Query;
use crate::rate::{Neighbourhood, Rates};
use crate::routes;
use crate::share::Part;
use activity::{Activity, Extent};
pub use certificate::Certificate;
pub use host::{HostName, Hosts};
use link::Link;
use malformed::Malformed;
use patience::Patience;
use stream::Stream;
use unread::Unread;

/// How long a client may take to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// How long an idle connection is kept.
const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// How many of those who are too many are told so at a time; others are closed without a word.
const LOBBY: usize = 64;

/// How long that may take.
const TURNED_AWAY_WITHIN: Duration = Duration::from_secs(1);

/// Clients that agree on keys at a time, in all and from one address that is no proxy of ours.
const HANDSHAKES: Bounds = Bounds { address: 32, ..Bounds::of(1_024) };

/// Bytes of an answer that actix holds ready for a connection, beside one [piece](pieces).
const WRITE_BUFFER: usize = 16 << 10;

/// How clients reach the service.
#[derive(Clone, Debug, Default)]
pub struct Doors {
    /// The most connections at a time; 0 is no bound.
    pub connections: usize,
    /// The most of them from one address that is no proxy of ours; 0 is no bound.
    pub connections_per_address: usize,
    /// Who we prove to be; without it nothing is secured.
    pub certificate: Option<Arc<Certificate>>,
    /// By which names they may call.
    pub hosts: Hosts,
}

/// A server on `listener` that gives open requests `grace_s` seconds to end once it is stopped. It handles no signals.
///
/// This is what actix-web's `HttpServer` does for a listener, but for what lies below each connection: [`Stream`],
/// [`Patience`] and [`Link`].
///
/// # Errors
///
/// If the listener or the certificate cannot be used.
pub fn server(app: App, listener: TcpListener, doors: &Doors, grace_s: u64) -> std::io::Result<Server> {
    let unread =
        web::Data::new(Unread::new(app.allowances.unread.clone(), app.watching.metrics.let_go.clone()));
    let acceptor = doors.certificate.as_ref().map(Certificate::acceptor).transpose()?;
    let is_secured = acceptor.is_some();
    let porter = Porter {
        rates: Arc::clone(&app.rates),
        seats: doors.seats(),
        lobby: Shares::new(Bounds::of(LOBBY)),
        handshakes: Shares::new(HANDSHAKES),
        acceptor,
        malformed: Malformed::new(app.watching.metrics.malformed.clone()),
        metrics: app.watching.metrics.clone(),
    };
    let (app, hosts) = (web::Data::new(app), web::Data::new(doors.hosts.clone()));
    // Those that are too many are told so here: actix would have them wait.
    let at_once = if doors.connections == 0 { usize::MAX / 2 } else { doors.connections + 2 * LOBBY };
    let builder =
        Server::build().max_concurrent_connections(at_once).shutdown_timeout(grace_s).disable_signals();
    let stopping = builder.graceful_shutdown_signal();
    let builder = builder.listen("daybook", listener, move || {
        let (app, hosts, unread) = (app.clone(), hosts.clone(), unread.clone());
        let (stopping, porter) = (stopping.clone(), porter.clone());
        let service = actix_web::App::new()
            .app_data(app)
            .app_data(hosts)
            .app_data(unread)
            .wrap(from_fn(shape))
            .wrap(headers_of_all(is_secured).fold(DefaultHeaders::new(), DefaultHeaders::add))
            .wrap(from_fn(exchange::watch))
            .configure(routes::configure)
            .into_factory()
            .map_err(move |error| said_over_tls(error.error_response(), is_secured));
        let http = HttpService::build()
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .client_request_timeout(HEAD_TIMEOUT)
            .keep_alive(KEEP_ALIVE)
            .h1_write_buffer_size(WRITE_BUFFER)
            .on_connect_ext(|io: &Connection, data| drop(data.insert(io.below().activity())))
            .h1(map_config(service, |()| AppConfig::default()));
        fn_service(move |io: TcpStream| {
            let porter = porter.clone();
            async move { porter.let_in(io).await }
        })
        .and_then(http)
    })?;
    Ok(builder.run())
}

/// Headers of every answer.
fn headers_of_all(is_secured: bool) -> impl Iterator<Item = (HeaderName, &'static str)> {
    SECURITY_HEADERS.into_iter().chain(is_secured.then_some(OVER_TLS))
}

/// An error's answer, which no middleware comes to.
fn said_over_tls(mut response: HttpResponse, is_secured: bool) -> HttpResponse {
    let (name, value) = OVER_TLS;
    if is_secured {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

impl Doors {
    /// Places for connections; 0 is no bound.
    fn seats(&self) -> Shares {
        let most = |count: usize| if count == 0 { usize::MAX } else { count };
        Shares::new(Bounds {
            address: most(self.connections_per_address),
            ..Bounds::of(most(self.connections))
        })
    }
}

/// Decides which connections come in.
#[derive(Clone)]
struct Porter {
    rates: Arc<Rates>,
    seats: Shares,
    /// Places for clients that are told that there is no place.
    lobby: Shares,
    handshakes: Shares,
    acceptor: Option<TlsAcceptor>,
    malformed: Malformed,
    metrics: Metrics,
}

impl Porter {
    async fn let_in(self, io: TcpStream) -> Result<(Connection, Option<SocketAddr>), DispatchError> {
        let peer = io.peer_addr()?;
        // Those of a proxy come from many.
        let from = Some(Neighbourhood::of(peer.ip())).filter(|_| !self.rates.is_proxy(peer.ip()));
        let holder = from.map(Neighbourhood::holder);
        let Ok(seat) = self.seats.take(1, holder) else {
            // Somebody may be too many to be told anything.
            if let Some(_seat) = self.lobby.take(1, None).ok().filter(|_| self.acceptor.is_none()) {
                turn_away(io).await;
            }
            return Err(DispatchError::DisconnectTimeout);
        };
        // What is not secured yet cannot be told anything, either.
        let handshake = match &self.acceptor {
            None => None,
            Some(_) => Some(self.shake_hands(from).ok_or(DispatchError::DisconnectTimeout)?),
        };
        let link = Link::open(io, self.acceptor.as_ref()).await?;
        drop::<Option<Share>>(handshake);
        let patience = Patience::new(link, seat);
        let (is_secured, open) = (self.acceptor.is_some(), self.metrics.connections.clone());
        Ok((Stream::new(patience, self.malformed, open, is_secured), Some(peer)))
    }

    /// A place to agree on keys with somebody at `from`, unless there are none or that was done too often.
    fn shake_hands(&self, from: Option<Neighbourhood>) -> Option<Share> {
        let may = from.is_none_or(|from| self.rates.may_shake_hands(from));
        let place = self.handshakes.take(1, from.map(Neighbourhood::holder)).ok().filter(|_| may);
        if place.is_none() {
            self.metrics.no_room(Part::Handshakes);
        }
        place
    }
}

/// What actix talks to.
type Connection = Stream<Patience<Link>>;

/// Tells whoever has no place that it has none. An answer to what it has not asked yet is none to many clients, and what it
/// sent and nobody read would take the answer back.
async fn turn_away(mut io: TcpStream) {
    let farewell = async {
        io.readable().await?;
        io.write_all(&stream::last_answer(ApiError::busy().error_response())).await?;
        io.shutdown().await?;
        let mut unread = [0; 4096];
        while io.read(&mut unread).await? > 0 {}
        Ok::<_, std::io::Error>(())
    };
    // Whoever does not take it does not get it.
    let _ = timeout(TURNED_AWAY_WITHIN, farewell).await;
}

/// What a handler did not answer itself gets the contract's shape: errors that actix makes, and panics, of which the
/// caller learns nothing and no other request suffers.
async fn shape(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse, actix_web::Error> {
    let app = request.app_data::<web::Data<App>>().cloned();
    let activity = request.conn_data::<Rc<Activity>>().cloned().unwrap_or_default();
    activity.begin();
    let extent = Extent::of(request.headers());
    let is_whole = arrival::watch(&mut request, extent);
    let path = request.path().to_owned();
    let answer = async {
        let hosts = request.app_data::<web::Data<Hosts>>();
        if hosts.is_some_and(|hosts| !hosts.admit(request.uri(), request.headers())) {
            return Err(ApiError::Misdirected.into());
        }
        if let Some(app) = &app {
            admit(app, &request)?;
        }
        headers::once(request.headers()).and_then(|()| Query(request.query_string()).once())?;
        let answered = deadline::within(&path, Rc::clone(&is_whole), next.call(request)).await;
        answered.map_err(|late| ApiError::unavailable(&late))?
    };
    let answered = AssertUnwindSafe(answer).catch_unwind().await;
    activity.end(is_whole.get(), extent);
    let response = match answered {
        Ok(Ok(response)) => {
            let mut response = response.map_into_boxed_body();
            dry_run::mark(&mut response);
            pieces::cut(response, &activity)?
        }
        Ok(Err(error)) => return Err(from_actix(&error).into()),
        Err(_) => return Err(ApiError::internal(&std::io::Error::other("a handler panicked")).into()),
    };
    let status = response.status();
    let is_ours = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if status.is_success() || status == StatusCode::NOT_MODIFIED || is_ours {
        return Ok(response);
    }
    let error = ApiError::invalid("request", "is not one that this service understands");
    Ok(response.into_response(error.error_response()))
}

/// What would be sent away at the end is sent away at the beginning: the work is for those who are served. Health is asked
/// for by those who watch, and always told.
fn admit(app: &App, request: &ServiceRequest) -> Result<(), ApiError> {
    if !request.path().starts_with("/health/") {
        app.rates.count_address(request.request())?;
    }
    if !request.method().is_safe() && app.engine.is_full() { Err(ApiError::busy()) } else { Ok(()) }
}

/// An error of ours that came by way of actix is itself; any other was made by actix about the request.
fn from_actix(error: &actix_web::Error) -> ApiError {
    match error.as_error::<ApiError>() {
        Some(error) => error.clone(),
        None => ApiError::invalid("request", "is not one that this service understands"),
    }
}

#[cfg(test)]
mod tests;
