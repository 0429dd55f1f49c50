//! The HTTP server: limits, headers of every answer, and the contract's shape for whatever goes wrong outside handlers.

mod stream;

use std::net::TcpListener;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use actix_http::HttpService;
use actix_http::error::DispatchError;
use actix_service::{IntoServiceFactory, ServiceFactoryExt, fn_service, map_config};
use actix_web::body::MessageBody;
use actix_web::dev::{AppConfig, Server, ServiceRequest, ServiceResponse};
use actix_web::http::header;
use actix_web::middleware::{DefaultHeaders, Next, from_fn};
use actix_web::rt::net::TcpStream;
use actix_web::{ResponseError, web};
use futures::FutureExt;

use crate::app::App;
use crate::auth::dry_run;
use crate::error::{ApiError, SECURITY_HEADERS};
use crate::{request_id, routes};
use stream::Stream;

/// How long a client may take to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// How long an idle connection is kept.
const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// A server on `listener` that gives open requests `grace_s` seconds to end once it is stopped. It handles no signals.
///
/// This is what actix-web's `HttpServer` does for a listener, but for the [`Stream`] below each connection.
///
/// # Errors
///
/// If the listener cannot be used.
pub fn server(app: App, listener: TcpListener, grace_s: u64) -> std::io::Result<Server> {
    let app = web::Data::new(app);
    let builder = Server::build().shutdown_timeout(grace_s).disable_signals();
    let stopping = builder.graceful_shutdown_signal();
    let builder = builder.listen("daybook", listener, move || {
        let (app, stopping) = (app.clone(), stopping.clone());
        let service = actix_web::App::new()
            .app_data(app)
            .wrap(from_fn(shape))
            .wrap(SECURITY_HEADERS.into_iter().fold(DefaultHeaders::new(), DefaultHeaders::add))
            .configure(routes::configure)
            .into_factory()
            .map_err(|error| error.error_response());
        let http = HttpService::build()
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .client_request_timeout(HEAD_TIMEOUT)
            .keep_alive(KEEP_ALIVE)
            .h1(map_config(service, |()| AppConfig::default()));
        fn_service(|io: TcpStream| async {
            // An answer is one write: nothing is gained by waiting for more.
            io.set_nodelay(true)?;
            let peer = io.peer_addr().ok();
            Ok::<_, DispatchError>((Stream::new(io), peer))
        })
        .and_then(http)
    })?;
    Ok(builder.run())
}

/// What a handler did not answer itself gets the contract's shape: errors that actix makes, and panics, of which the
/// caller learns nothing and no other request suffers.
async fn shape(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse, actix_web::Error> {
    let app = request.app_data::<web::Data<App>>();
    let id = app.map(|app| app.request_id()).unwrap_or_default();
    // What would be sent away at the end is sent away at the beginning: the work is for those who are served.
    let is_too_much = !request.method().is_safe() && app.is_some_and(|app| app.engine.is_full());
    let answer = async { if is_too_much { Err(ApiError::busy().into()) } else { next.call(request).await } };
    let answered = AssertUnwindSafe(request_id::scope(id, answer)).catch_unwind().await;
    let response = match answered {
        Ok(Ok(response)) => {
            let mut response = response.map_into_boxed_body();
            dry_run::mark(&mut response);
            response
        }
        Ok(Err(error)) => return Err(from_actix(&error).into()),
        Err(_) => return Err(ApiError::internal(&std::io::Error::other("a handler panicked")).into()),
    };
    let status = response.status();
    let is_ours = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if status.is_success() || is_ours {
        return Ok(response);
    }
    let error = ApiError::invalid("request", "is not one that this service understands");
    Ok(response.into_response(error.error_response()))
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
