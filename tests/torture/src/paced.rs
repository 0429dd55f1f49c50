//! Payments at a fixed rate. The next payment does not wait for the answers to those before it, so that an outage is
//! measured by as many calls as the time without it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use daybook_random::Random;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{MissedTickBehavior, interval};

use crate::client::Client;
use crate::payments::{Payment, cent};
use crate::world::World;

/// Timeout of an answer. A service answers within six seconds.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(8);

/// Payments that are being made.
pub struct Paced {
    shared: Arc<Shared>,
    pacing: JoinHandle<Vec<Payment>>,
}

struct Shared {
    world: World,
    address: SocketAddr,
    is_stopped: AtomicBool,
    acknowledged: AtomicUsize,
    /// Connections that wait for the next payment.
    idle: Mutex<Vec<Client>>,
}

impl Paced {
    /// Starts payments at `address`, one every `period`, under keys that begin with `name`.
    pub fn start(world: World, address: SocketAddr, (name, period): (String, Duration), seed: u64) -> Self {
        let shared = Arc::new(Shared {
            world,
            address,
            is_stopped: AtomicBool::new(false),
            acknowledged: AtomicUsize::new(0),
            idle: Mutex::default(),
        });
        let pacing = tokio::spawn(pace(Arc::clone(&shared), name, period, seed));
        Self { shared, pacing }
    }

    /// Number of payments that were acknowledged so far.
    pub fn acknowledged(&self) -> usize {
        self.shared.acknowledged.load(Ordering::SeqCst)
    }

    /// Sends no more, waits for the answers that are due, and returns every payment.
    pub async fn stop(self) -> Vec<Payment> {
        self.shared.is_stopped.store(true, Ordering::SeqCst);
        self.pacing.await.unwrap_or_default()
    }
}

async fn pace(shared: Arc<Shared>, name: String, period: Duration, seed: u64) -> Vec<Payment> {
    let (mut random, mut sent, mut number) = (Random::fork(seed, &name), JoinSet::new(), 0_u64);
    let mut ticks = interval(period);
    // A busy machine that is late sends what is due at once, and the rate holds.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    while !shared.is_stopped.load(Ordering::SeqCst) {
        ticks.tick().await;
        let asked = cent(&shared.world, &mut random, format!("{name}-{number}"));
        number += 1;
        let shared = Arc::clone(&shared);
        sent.spawn(async move {
            let mut client =
                shared.idle().pop().unwrap_or_else(|| Client::new(shared.address, RESPONSE_TIMEOUT));
            let payment = Payment::send(asked, &shared.world, &mut client).await;
            shared.acknowledged.fetch_add(usize::from(payment.id.is_some()), Ordering::SeqCst);
            shared.idle().push(client);
            payment
        });
    }
    sent.join_all().await
}

impl Shared {
    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Client>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
