//! Payers: each sends payments under keys of its own, as fast as they are answered. They serve faults after which the
//! checks of a run cannot be made. All acknowledged payments are known and are compared with the log afterwards.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use daybook_random::Random;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::client::Client;
use crate::history::Outcome;
use crate::ops::Asked;
use crate::world::World;

/// Timeout of an answer.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(8);
/// Pause after an answer that does not tell the outcome.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// A payment that was sent.
#[derive(Clone, Debug)]
pub struct Payment {
    /// Requested operation.
    pub asked: Asked,
    /// Id of the transaction, if the payment was acknowledged.
    pub id: Option<String>,
    /// Time at which the answer arrived or was given up.
    pub at: Instant,
    /// Time between request and answer.
    pub took: Duration,
    /// HTTP status of the answer; none without an answer.
    pub status: Option<u16>,
    /// Defect of the answer itself, such as a 503 without `Retry-After`.
    pub odd: Option<String>,
}

impl Payment {
    /// Sends what is asked for, and waits for its answer.
    pub(crate) async fn send(asked: Asked, world: &World, client: &mut Client) -> Self {
        let sent = Instant::now();
        let (outcome, answered) = asked.judge(client.send(&asked.call(world)).await);
        let id = answered.id.filter(|_| outcome == Outcome::Ok);
        let (at, took) = (Instant::now(), sent.elapsed());
        Self { asked, id, at, took, status: answered.status, odd: answered.odd }
    }
}

/// Running payers.
pub struct Payers {
    stop: Arc<AtomicBool>,
    acknowledged: Arc<AtomicUsize>,
    tasks: JoinSet<Vec<Payment>>,
}

impl Payers {
    /// Starts `count` payers, whose keys begin with `round`, at `address`.
    pub fn start(world: &World, address: SocketAddr, (round, count): (&str, u64), seed: u64) -> Self {
        let (stop, acknowledged) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let mut tasks = JoinSet::new();
        for number in 0..count {
            let name = format!("{round}-{number}");
            let payer = Payer {
                random: Random::fork(seed, &name),
                name,
                world: world.clone(),
                client: Client::new(address, RESPONSE_TIMEOUT),
                stop: Arc::clone(&stop),
                acknowledged: Arc::clone(&acknowledged),
            };
            tasks.spawn(payer.work());
        }
        Self { stop, acknowledged, tasks }
    }

    /// Returns the number of acknowledged payments so far.
    pub fn acknowledged(&self) -> usize {
        self.acknowledged.load(Ordering::SeqCst)
    }

    /// Stops all payers after their current payment, and returns all payments.
    pub async fn stop(self) -> Vec<Payment> {
        self.stop.store(true, Ordering::SeqCst);
        self.tasks.join_all().await.concat()
    }
}

struct Payer {
    name: String,
    world: World,
    client: Client,
    random: Random,
    stop: Arc<AtomicBool>,
    acknowledged: Arc<AtomicUsize>,
}

impl Payer {
    async fn work(mut self) -> Vec<Payment> {
        let mut payments = vec![];
        while !self.stop.load(Ordering::SeqCst) {
            let asked = cent(&self.world, &mut self.random, format!("{}-{}", self.name, payments.len()));
            let payment = Payment::send(asked, &self.world, &mut self.client).await;
            if payment.id.is_some() {
                self.acknowledged.fetch_add(1, Ordering::SeqCst);
            } else {
                sleep(RETRY_INTERVAL).await;
            }
            payments.push(payment);
        }
        payments
    }
}

/// Returns a payment of one cent from a node of one user to a node of another, under `key`.
pub(crate) fn cent(world: &World, random: &mut Random, key: String) -> Asked {
    let users = world.users.len();
    let user = usize::try_from(random.below_u64(users as u64)).unwrap_or_default();
    let from = random.pick(&world.users[user].nodes).clone();
    let to = random.pick(&world.users[(user + 1) % users].nodes).clone();
    Asked::Pay { workload: "payments".to_owned(), user, from, to, amount: 1, fee: 0, key }
}
