//! The HTTP server: limits, headers of every answer, and the contract's error shape for failures outside handlers.

mod access_log;
mod body_timeout;
mod certificate;
pub(crate) mod chunked_body;
mod connections;
mod host;
mod malformed;
mod pipeline;
mod request_tracker;
mod response_budget;
mod response_timeout;
mod stream;
mod timeout_stream;
mod transport;

use std::net::TcpListener;
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_http::HttpService;
use actix_service::{IntoServiceFactory, ServiceFactoryExt, fn_service, map_config};
use actix_web::body::MessageBody;
use actix_web::dev::{AppConfig, Server, ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::middleware::{DefaultHeaders, Next, from_fn};
use actix_web::rt::net::TcpStream;
use actix_web::{HttpResponse, ResponseError, web};
use futures::FutureExt;

use crate::app::App;
use crate::auth::{dry_run, headers};
use crate::error::{ApiError, OVER_TLS, SECURITY_HEADERS};
use crate::query::Query;
use crate::routes;
pub use certificate::Certificate;
use connections::{Connection, ConnectionGate};
pub use host::{HostName, Hosts};
use request_tracker::{BodyLength, RequestTracker};
use response_budget::ResponseBudget;

/// Time that a client has to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Time after which an idle connection is closed.
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(75);

/// Bytes of an answer that actix buffers for a connection, beside one [chunk](chunked_body).
const WRITE_BUFFER_BYTES: usize = 16 << 10;

/// Options of the listener for clients.
#[derive(Clone, Debug, Default)]
pub struct ListenerOptions {
    /// Maximum number of open connections; 0 means no limit.
    pub connections: usize,
    /// Maximum number of them from one address that is not a trusted proxy; 0 means no limit.
    pub connections_per_address: usize,
    /// Certificate of the server; without one connections are not encrypted.
    pub certificate: Option<Arc<Certificate>>,
    /// Host names by which requests may call the service.
    pub hosts: Hosts,
}

/// Builds a server on `listener`. When it is stopped, open requests have `grace_s` seconds to end. It handles no
/// signals.
///
/// It does the work of actix-web's `HttpServer`, with admission, TLS and timeouts of its own below each connection
/// (`connections.rs`).
///
/// # Errors
///
/// Fails if the listener or the certificate cannot be used.
pub fn server(
    app: App,
    listener: TcpListener,
    options: &ListenerOptions,
    grace_s: u64,
) -> std::io::Result<Server> {
    let unread = web::Data::new(ResponseBudget::new(
        app.resource_limits.unread.clone(),
        app.observability.metrics.let_go.clone(),
    ));
    let acceptor = options.certificate.as_ref().map(Certificate::acceptor).transpose()?;
    let is_secured = acceptor.is_some();
    let gate = ConnectionGate::new(&app, options, acceptor);
    let (app, hosts) = (web::Data::new(app), web::Data::new(options.hosts.clone()));
    let builder = Server::build()
        .max_concurrent_connections(ConnectionGate::backlog(options))
        .shutdown_timeout(grace_s)
        .disable_signals();
    let stopping = builder.graceful_shutdown_signal();
    let builder = builder.listen("daybook", listener, move || {
        let (app, hosts, unread) = (app.clone(), hosts.clone(), unread.clone());
        let (stopping, gate) = (stopping.clone(), gate.clone());
        let service = actix_web::App::new()
            .app_data(app)
            .app_data(hosts)
            .app_data(unread)
            .wrap(from_fn(shape))
            .wrap(headers_of_all(is_secured).fold(DefaultHeaders::new(), DefaultHeaders::add))
            .wrap(from_fn(access_log::watch))
            .configure(routes::configure)
            .into_factory()
            .map_err(move |error| said_over_tls(error.error_response(), is_secured));
        let http = HttpService::build()
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .client_request_timeout(HEAD_TIMEOUT)
            .keep_alive(KEEP_ALIVE_TIMEOUT)
            .h1_write_buffer_size(WRITE_BUFFER_BYTES)
            .on_connect_ext(|io: &Connection, data| drop(data.insert(io.below().tracker())))
            .h1(map_config(service, |()| AppConfig::default()));
        fn_service(move |io: TcpStream| {
            let gate = gate.clone();
            async move { gate.admit(io).await }
        })
        .and_then(http)
    })?;
    Ok(builder.run())
}

/// Headers of every answer.
fn headers_of_all(is_secured: bool) -> impl Iterator<Item = (HeaderName, &'static str)> {
    SECURITY_HEADERS.into_iter().chain(is_secured.then_some(OVER_TLS))
}

/// Adds the header for TLS to the answer of an error that passes no middleware.
fn said_over_tls(mut response: HttpResponse, is_secured: bool) -> HttpResponse {
    let (name, value) = OVER_TLS;
    if is_secured {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Middleware that gives errors of actix the contract's shape. A panic of a handler is answered with 500 without its
/// text, and does not affect other requests.
async fn shape(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse, actix_web::Error> {
    let app = request.app_data::<web::Data<App>>().cloned();
    let tracker = request.conn_data::<Rc<RequestTracker>>().cloned().unwrap_or_default();
    tracker.started();
    let body_length = BodyLength::of(request.headers());
    let is_whole = body_timeout::watch(&mut request, body_length);
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
        let answered = response_timeout::within(&path, Rc::clone(&is_whole), next.call(request)).await;
        answered.map_err(|late| ApiError::unavailable(&late))?
    };
    let answered = AssertUnwindSafe(answer).catch_unwind().await;
    tracker.finished(is_whole.get(), body_length);
    let response = match answered {
        Ok(Ok(response)) => {
            let mut response = response.map_into_boxed_body();
            dry_run::mark(&mut response);
            chunked_body::cut(response, &tracker)?
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

/// Refuses a request over its rate limit, and a write while the queue is full, before any other work is done for it.
/// Health checks are never refused.
fn admit(app: &App, request: &ServiceRequest) -> Result<(), ApiError> {
    if !request.path().starts_with("/health/") {
        app.rates.count_address(request.request())?;
    }
    if !request.method().is_safe() && app.engine.is_full() { Err(ApiError::busy()) } else { Ok(()) }
}

/// Returns the [`ApiError`] inside an actix error. Any other error was made by actix about the request: it becomes 400.
fn from_actix(error: &actix_web::Error) -> ApiError {
    match error.as_error::<ApiError>() {
        Some(error) => error.clone(),
        None => ApiError::invalid("request", "is not one that this service understands"),
    }
}

#[cfg(test)]
mod tests;
