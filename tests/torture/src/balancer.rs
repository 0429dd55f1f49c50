//! A typical load balancer: it polls the readiness of every service, and sends clients to the services that were ready
//! at the last poll.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::sleep;

use crate::arena::Arena;
use crate::client::Client;

/// Poll interval. The operations manual asks for a poll at least once a second.
pub const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// Timeout of one poll.
const CHECK_TIMEOUT: Duration = Duration::from_millis(500);

/// State of the balancer: for each service, true if clients are sent to it.
#[derive(Debug)]
pub struct Balancer(Vec<AtomicBool>);

impl Balancer {
    /// Creates a balancer over `services` services. All of them get clients until [`Balancer::watch`] polls.
    pub fn over(services: usize) -> Self {
        Self((0..services).map(|_| AtomicBool::new(true)).collect())
    }

    /// Returns true if clients are sent to this service.
    pub fn is_in(&self, service: usize) -> bool {
        self.0.get(service).is_some_and(|is_in| is_in.load(Ordering::Relaxed))
    }

    /// Polls all services for ever.
    pub async fn watch(&self, arena: &Arena) {
        loop {
            for (host, is_in) in arena.hosts.iter().zip(&self.0) {
                // Each poll opens a new connection, as in most balancers.
                let answer = Client::new(host.address, CHECK_TIMEOUT).get("/health/ready").await;
                is_in.store(answer.is_ok_and(|answer| answer.status == 200), Ordering::Relaxed);
            }
            sleep(CHECK_INTERVAL).await;
        }
    }
}
