//! What is counted of requests by this process.
//!
//! A label is a pattern of a route, a method or a class of statuses: never a path, and nothing that a caller chose.

use std::time::Duration;

use actix_web::http::{Method, StatusCode};
use daybook_projector::SECONDS;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::rate::Share;
use crate::share::Part;

/// Labels: their names, each with a word of the code.
type Labels<const N: usize> = [(&'static str, &'static str); N];

/// What the server of one process counts; clones count together.
#[derive(Clone, Debug)]
pub struct Metrics {
    requests: Family<Labels<3>, Counter>,
    seconds: Family<Labels<2>, Histogram, fn() -> Histogram>,
    denied: Family<Labels<1>, Counter>,
    too_many: Family<Labels<1>, Counter>,
    no_room: Family<Labels<1>, Counter>,
    /// Requests that are being answered.
    pub(crate) in_flight: Gauge,
    /// Connections that are open.
    pub(crate) connections: Gauge,
    /// Heads that are none.
    pub(crate) malformed: Counter,
    /// Readers of large answers that were let go.
    pub(crate) let_go: Counter,
}

impl Default for Metrics {
    fn default() -> Self {
        let too_many = Family::<Labels<1>, Counter>::default();
        for share in Share::ALL {
            drop(too_many.get_or_create(&[("share", share.as_str())]));
        }
        let no_room = Family::<Labels<1>, Counter>::default();
        for part in Part::ALL {
            drop(no_room.get_or_create(&[("of", part.as_str())]));
        }
        Self {
            requests: Family::default(),
            seconds: Family::new_with_constructor(seconds as fn() -> Histogram),
            denied: Family::default(),
            too_many,
            no_room,
            in_flight: Gauge::default(),
            connections: Gauge::default(),
            malformed: Counter::default(),
            let_go: Counter::default(),
        }
    }
}

fn seconds() -> Histogram {
    // What is faster than half a millisecond is not told apart.
    Histogram::new(SECONDS.into_iter().skip(2))
}

impl Metrics {
    /// Has `registry` show them.
    pub fn register(&self, registry: &mut Registry) {
        let help = "Requests that were answered, by pattern of the route, method and class of the status; gone: \
            the caller hung up before";
        registry.register("http_requests", help, self.requests.clone());
        let help = "Time from a request's head to its answer's, by pattern of the route and method";
        registry.register("http_request_seconds", help, self.seconds.clone());
        let help =
            "Requests whose credentials, key, fingerprint or scope do not do, by the code of the answer";
        registry.register("http_denied", help, self.denied.clone());
        let help = "Requests that were told to wait, by whose share was used up: calls of an address, a platform or a \
            user, or wrong credentials";
        registry.register("http_too_many", help, self.too_many.clone());
        let help = "Requests, and handshakes, that were refused because a bound on what is held at a time was reached";
        registry.register("http_no_room", help, self.no_room.clone());
        registry.register(
            "http_requests_in_flight",
            "Requests that are being answered",
            self.in_flight.clone(),
        );
        registry.register("http_connections", "Connections that are open", self.connections.clone());
        let help = "Heads that were no HTTP, too large or too late";
        registry.register("http_malformed", help, self.malformed.clone());
        let help =
            "Connections that were ended in the middle of a large answer, because others need the room";
        registry.register("http_let_go", help, self.let_go.clone());
    }

    /// A request was answered; without a status the caller went away before.
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

    /// A request was turned away because of who sent it.
    pub(crate) fn denied(&self, code: &'static str) {
        self.denied.get_or_create(&[("code", code)]).inc();
    }

    /// Counts something that was refused because there is no room.
    pub(crate) fn no_room(&self, part: Part) {
        self.no_room.get_or_create(&[("of", part.as_str())]).inc();
    }

    /// A request was told to wait.
    pub(crate) fn told_to_wait(&self, share: Share) {
        self.too_many.get_or_create(&[("share", share.as_str())]).inc();
    }
}

/// The method, if it is one that somebody could mean: others are as many as callers like.
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
