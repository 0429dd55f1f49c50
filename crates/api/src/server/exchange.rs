//! Observation of requests for operators: metrics, and one line in the access log.
//!
//! The line contains sender, action, time, source address, object and outcome, as PCI DSS 10.2.2 requires. It contains
//! only ids and constants of the code. No text of the caller appears in it, so that a caller cannot forge a line.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{HttpRequest, web};
use daybook_domain::TransactionId;
use tracing::{Instrument, Span};

use crate::app::App;
use crate::auth::Who;
use crate::error::ApiError;
use crate::metrics::word;
use crate::rate::Share;
use crate::request_id;
use crate::routes::Pattern;
use crate::watching::Watching;

/// Placeholder for an unknown value.
const NONE: &str = "-";

/// Assigns an id to the request, and observes it until it ends.
pub(super) async fn watch(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let (id, watching, peer) = match request.app_data::<web::Data<App>>() {
        Some(app) => (app.request_id(), app.watching.clone(), Some(app.rates.source(request.request()))),
        None => (String::new(), Watching::default(), None),
    };
    let span = span(&request, &id, watching.continues);
    let exchange = Exchange::begin(request.method(), id.clone(), watching, peer);
    let answered = request_id::scope(id, next.call(request)).instrument(span).await;
    match answered {
        Ok(mut response) => {
            if exchange.watching.is_stopping() {
                // The client's next request goes to a process that is not stopping.
                response.response_mut().head_mut().set_connection_type(actix_http::ConnectionType::Close);
            }
            let error = response.response().error().and_then(|error| error.as_error::<ApiError>());
            exchange.end(Outcome::of(response.request(), response.status(), error));
            Ok(response)
        }
        Err(error) => {
            let (status, known) = (error.as_response_error().status_code(), error.as_error::<ApiError>());
            exchange.end(Outcome { status, ..Outcome::unrouted(known) });
            Err(error)
        }
    }
}

/// Makes the span of a request's logs and traces, as a child of the caller's span if the request names one.
fn span(request: &ServiceRequest, id: &str, continues: Option<fn(&Span, &str)>) -> Span {
    let span = tracing::info_span!(target: "daybook::trace", "request", request_id = id);
    let parent = request.headers().get("traceparent").and_then(|value| value.to_str().ok());
    if let Some((continues, parent)) = continues.zip(parent) {
        continues(&span, parent);
    }
    span
}

/// A request that is being answered.
struct Exchange {
    id: String,
    watching: Watching,
    began: Instant,
    method: &'static str,
    /// Source address, as the rate limits see it.
    peer: Option<IpAddr>,
    has_ended: bool,
}

/// Outcome of a request.
#[derive(Clone, Copy)]
struct Outcome {
    status: StatusCode,
    route: &'static str,
    who: Option<Who>,
    /// Object of the request: the last id in its path.
    object: Option<TransactionId>,
    /// Code of the error.
    code: Option<&'static str>,
    is_denied: bool,
    /// Exhausted rate limit.
    share: Option<Share>,
}

impl Outcome {
    fn of(request: &HttpRequest, status: StatusCode, error: Option<&ApiError>) -> Self {
        let route = request.app_data::<Pattern>().map_or(NONE, |pattern| pattern.0);
        let who = Who::sent(request);
        // All ids have the same spelling, whatever they name.
        let object = request.match_info().iter().filter_map(|(_, value)| value.parse().ok()).last();
        Self { status, route, who, object, ..Self::unrouted(error) }
    }

    /// Makes the outcome of a request that reached no handler.
    fn unrouted(error: Option<&ApiError>) -> Self {
        let (code, is_denied) = (error.map(ApiError::code), error.is_some_and(ApiError::is_denied));
        let share = error.and_then(ApiError::share);
        Self { status: StatusCode::OK, route: NONE, who: None, object: None, code, is_denied, share }
    }
}

impl Exchange {
    fn begin(method: &Method, id: String, watching: Watching, peer: Option<IpAddr>) -> Self {
        watching.metrics.in_flight.inc();
        Self { id, watching, began: Instant::now(), method: word(method), peer, has_ended: false }
    }

    fn end(mut self, outcome: Outcome) {
        self.has_ended = true;
        let took = self.began.elapsed();
        let metrics = &self.watching.metrics;
        metrics.answered((outcome.route, self.method), Some(outcome.status), took);
        if let Some(code) = outcome.code.filter(|_| outcome.is_denied) {
            metrics.denied(code);
        }
        if let Some(share) = outcome.share {
            metrics.told_to_wait(share);
        }
        if self.watching.access_log || outcome.is_denied {
            self.tell(&outcome, took);
        }
    }

    /// Writes the line of the access log.
    fn tell(&self, outcome: &Outcome, took: Duration) {
        let text = |id: Option<String>| id.unwrap_or_else(|| NONE.to_owned());
        let (platform, actor) = match outcome.who {
            Some(Who::Platform(platform)) => (Some(platform.to_string()), "platform".to_owned()),
            Some(Who::User(platform, user)) => (Some(platform.to_string()), format!("user {user}")),
            Some(Who::Operator(operator)) => (None, format!("operator {operator}")),
            None => (None, NONE.to_owned()),
        };
        tracing::info!(
            target: "daybook::access",
            request_id = self.id,
            platform = text(platform),
            actor,
            method = self.method,
            route = outcome.route,
            object = text(outcome.object.map(|id| id.to_string())),
            status = outcome.status.as_u16(),
            code = outcome.code.unwrap_or(NONE),
            duration_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            peer = text(self.peer.map(|peer| peer.to_string())),
            "request"
        );
    }
}

impl Drop for Exchange {
    /// Ends a request whose client disconnected.
    fn drop(&mut self) {
        self.watching.metrics.in_flight.dec();
        if self.has_ended {
            return;
        }
        let took = self.began.elapsed();
        self.watching.metrics.answered((NONE, self.method), None, took);
        if self.watching.access_log {
            let outcome = Outcome { code: Some("gone"), ..Outcome::unrouted(None) };
            self.tell(&outcome, took);
        }
    }
}
