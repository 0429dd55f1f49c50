//! Metrics of requests of this process.
//!
//! Labels are route patterns, methods and status classes. They never contain paths or other values that a caller
//! chooses.

use std::time::Duration;

use actix_web::http::{Method, StatusCode};
use daybook_projector::SECONDS;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::rate::LimitedBy;
use crate::share::LimitedResource;

/// Labels of a metric: name and value, both constants of the code.
type Labels<const N: usize> = [(&'static str, &'static str); N];

/// Metrics of the server of one process; clones share their counters.
#[derive(Clone, Debug)]
pub struct Metrics {
    requests: Family<Labels<3>, Counter>,
    seconds: Family<Labels<2>, Histogram, fn() -> Histogram>,
    denied: Family<Labels<1>, Counter>,
    too_many: Family<Labels<1>, Counter>,
    limit_reached: Family<Labels<1>, Counter>,
    /// Number of requests that are being answered.
    pub(crate) in_flight: Gauge,
    /// Number of open connections.
    pub(crate) connections: Gauge,
    /// Number of malformed request heads.
    pub(crate) malformed: Counter,
    /// Number of slow readers of large answers that were disconnected.
    pub(crate) let_go: Counter,
}

impl Default for Metrics {
    fn default() -> Self {
        let too_many = Family::<Labels<1>, Counter>::default();
        for share in LimitedBy::ALL {
            drop(too_many.get_or_create(&[("share", share.as_str())]));
        }
        let limit_reached = Family::<Labels<1>, Counter>::default();
        for part in LimitedResource::ALL {
            drop(limit_reached.get_or_create(&[("of", part.as_str())]));
        }
        Self {
            requests: Family::default(),
            seconds: Family::new_with_constructor(seconds as fn() -> Histogram),
            denied: Family::default(),
            too_many,
            limit_reached,
            in_flight: Gauge::default(),
            connections: Gauge::default(),
            malformed: Counter::default(),
            let_go: Counter::default(),
        }
    }
}

fn seconds() -> Histogram {
    // Buckets below half a millisecond are left out.
    Histogram::new(SECONDS.into_iter().skip(2))
}

impl Metrics {
    /// Registers the metrics with `registry`.
    pub fn register(&self, registry: &mut Registry) {
        let help = "Requests answered, by route pattern, method and status class; gone: the client disconnected before \
            the answer";
        registry.register("http_requests", help, self.requests.clone());
        let help = "Time from a request's head to its answer's head, by route pattern and method";
        registry.register("http_request_seconds", help, self.seconds.clone());
        let help =
            "Requests denied for their credentials, key, fingerprint or scope, by the code of the answer";
        registry.register("http_denied", help, self.denied.clone());
        let help = "Requests answered 429, by the rate that was exceeded: calls of an address, a platform or a user, or \
            wrong credentials";
        registry.register("http_too_many", help, self.too_many.clone());
        let help = "Requests answered 503, and handshakes closed, because a limit was reached, by resource";
        registry.register("http_no_room", help, self.limit_reached.clone());
        registry.register("http_requests_in_flight", "Requests in progress", self.in_flight.clone());
        registry.register("http_connections", "Open connections", self.connections.clone());
        let help = "Request heads that were not HTTP, too large or too late";
        registry.register("http_malformed", help, self.malformed.clone());
        let help =
            "Connections of slow readers of large answers that were closed to make room for other answers";
        registry.register("http_let_go", help, self.let_go.clone());
    }

    /// Counts an answered request. Without a status the client disconnected before the answer.
    pub(crate) fn answered(
        &self,
        (route, method): (&'static str, &'static str),
        status: Option<StatusCode>,
        took: Duration,
    ) {
        let status = status.map_or("gone", class);
        self.requests.get_or_create(&[("route", route), ("method", method), ("status", status)]).inc();
        self.seconds.get_or_create(&[("route", route), ("method", method)]).observe(took.as_secs_f64());
    }

    /// Counts a request that was rejected because of its credentials or scope.
    pub(crate) fn denied(&self, code: &'static str) {
        self.denied.get_or_create(&[("code", code)]).inc();
    }

    /// Counts a request that was rejected because a limit of memory or concurrency was reached.
    pub(crate) fn limit_reached(&self, part: LimitedResource) {
        self.limit_reached.get_or_create(&[("of", part.as_str())]).inc();
    }

    /// Counts a request that was rejected by a rate limit.
    pub(crate) fn told_to_wait(&self, share: LimitedBy) {
        self.too_many.get_or_create(&[("share", share.as_str())]).inc();
    }
}

/// Returns the name of a standard method, or `other`: callers can make up any number of methods.
pub(crate) fn word(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::PUT => "PUT",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

fn class(status: StatusCode) -> &'static str {
    match status.as_u16() / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    }
}
