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
use crate::auth::RequestOrigin;
use crate::error::ApiError;
use crate::metrics::word;
use crate::observability::Observability;
use crate::rate::LimitedBy;
use crate::request_id;
use crate::routes::Pattern;

/// Placeholder for an unknown value.
const UNKNOWN: &str = "-";

/// Assigns an id to the request, and observes it until it ends.
pub(super) async fn watch(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let (id, observability, peer) = match request.app_data::<web::Data<App>>() {
        Some(app) => (app.request_id(), app.observability.clone(), Some(app.rates.source(request.request()))),
        None => (String::new(), Observability::default(), None),
    };
    let span = span(&request, &id, observability.continues);
    let entry = AccessLogEntry::begin(request.method(), id.clone(), observability, peer);
    let answered = request_id::scope(id, next.call(request)).instrument(span).await;
    match answered {
        Ok(mut response) => {
            if entry.observability.is_stopping() {
                // The client's next request goes to a process that is not stopping.
                response.response_mut().head_mut().set_connection_type(actix_http::ConnectionType::Close);
            }
            let error = response.response().error().and_then(|error| error.as_error::<ApiError>());
            entry.end(Outcome::of(response.request(), response.status(), error));
            Ok(response)
        }
        Err(error) => {
            let (status, known) = (error.as_response_error().status_code(), error.as_error::<ApiError>());
            entry.end(Outcome { status, ..Outcome::unrouted(known) });
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
struct AccessLogEntry {
    id: String,
    observability: Observability,
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
    who: Option<RequestOrigin>,
    /// Object of the request: the last id in its path.
    object: Option<TransactionId>,
    /// Code of the error.
    code: Option<&'static str>,
    is_denied: bool,
    /// Exhausted rate limit.
    limited_by: Option<LimitedBy>,
}

impl Outcome {
    fn of(request: &HttpRequest, status: StatusCode, error: Option<&ApiError>) -> Self {
        let route = request.app_data::<Pattern>().map_or(UNKNOWN, |pattern| pattern.0);
        let who = RequestOrigin::sent(request);
        // All ids have the same spelling, whatever they name.
        let object = request.match_info().iter().filter_map(|(_, value)| value.parse().ok()).last();
        Self { status, route, who, object, ..Self::unrouted(error) }
    }

    /// Makes the outcome of a request that reached no handler.
    fn unrouted(error: Option<&ApiError>) -> Self {
        let (code, is_denied) = (error.map(ApiError::code), error.is_some_and(ApiError::is_denied));
        let limited_by = error.and_then(ApiError::share);
        Self { status: StatusCode::OK, route: UNKNOWN, who: None, object: None, code, is_denied, limited_by }
    }
}

impl AccessLogEntry {
    fn begin(method: &Method, id: String, observability: Observability, peer: Option<IpAddr>) -> Self {
        observability.metrics.in_flight.inc();
        Self { id, observability, began: Instant::now(), method: word(method), peer, has_ended: false }
    }

    fn end(mut self, outcome: Outcome) {
        self.has_ended = true;
        let took = self.began.elapsed();
        let metrics = &self.observability.metrics;
        metrics.answered((outcome.route, self.method), Some(outcome.status), took);
        if let Some(code) = outcome.code.filter(|_| outcome.is_denied) {
            metrics.denied(code);
        }
        if let Some(limited_by) = outcome.limited_by {
            metrics.told_to_wait(limited_by);
        }
        if self.observability.access_log || outcome.is_denied {
            self.tell(&outcome, took);
        }
    }

    /// Writes the line of the access log.
    fn tell(&self, outcome: &Outcome, took: Duration) {
        let text = |id: Option<String>| id.unwrap_or_else(|| UNKNOWN.to_owned());
        let (platform, actor) = match outcome.who {
            Some(RequestOrigin::Platform(platform)) => (Some(platform.to_string()), "platform".to_owned()),
            Some(RequestOrigin::User(platform, user)) => (Some(platform.to_string()), format!("user {user}")),
            Some(RequestOrigin::Operator(operator)) => (None, format!("operator {operator}")),
            None => (None, UNKNOWN.to_owned()),
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
            code = outcome.code.unwrap_or(UNKNOWN),
            duration_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            peer = text(self.peer.map(|peer| peer.to_string())),
            "request"
        );
    }
}

impl Drop for AccessLogEntry {
    /// Ends a request whose client disconnected.
    fn drop(&mut self) {
        self.observability.metrics.in_flight.dec();
        if self.has_ended {
            return;
        }
        let took = self.began.elapsed();
        self.observability.metrics.answered((UNKNOWN, self.method), None, took);
        if self.observability.access_log {
            let outcome = Outcome { code: Some("gone"), ..Outcome::unrouted(None) };
            self.tell(&outcome, took);
        }
    }
}
