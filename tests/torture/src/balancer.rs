//! A load balancer as most of them are: asks every service again and again whether it is ready, and callers go where it was
//! when it was asked last.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::sleep;

use crate::arena::Arena;
use crate::client::Client;

/// How often it asks: operators are told to let theirs ask once a second at least.
pub const EVERY: Duration = Duration::from_millis(500);
/// How long it waits for an answer.
const PATIENCE: Duration = Duration::from_millis(500);

/// Where callers go.
#[derive(Debug)]
pub struct Balancer(Vec<AtomicBool>);

impl Balancer {
    /// Over so many services, to all of which callers go as long as nobody watches.
    pub fn over(services: usize) -> Self {
        Self((0..services).map(|_| AtomicBool::new(true)).collect())
    }

    /// Whether callers go to this one.
    pub fn is_in(&self, service: usize) -> bool {
        self.0.get(service).is_some_and(|is_in| is_in.load(Ordering::Relaxed))
    }

    /// Asks all of them for ever.
    pub async fn watch(&self, arena: &Arena) {
        loop {
            for (host, is_in) in arena.hosts.iter().zip(&self.0) {
                // Like most, it has no connection that stays.
                let answer = Client::new(host.address, PATIENCE).get("/health/ready").await;
                is_in.store(answer.is_ok_and(|answer| answer.status == 200), Ordering::Relaxed);
            }
            sleep(EVERY).await;
        }
    }
}
