//! Payments under keys of their own, as fast as they are answered, for faults that a whole run with all its checks cannot
//! live through: what was acknowledged is known to the last one, and compared with the log afterwards.

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

/// How long a payer waits for an answer.
const PATIENCE: Duration = Duration::from_secs(8);
/// How long it pauses after one that tells nothing.
const PAUSE: Duration = Duration::from_millis(10);

/// A payment that was asked for.
#[derive(Clone, Debug)]
pub struct Payment {
    /// What was asked for.
    pub asked: Asked,
    /// The transaction, if it was acknowledged.
    pub id: Option<String>,
    /// When that was known, or given up.
    pub at: Instant,
    /// How long it took.
    pub took: Duration,
    /// The status of the answer; none without one.
    pub status: Option<u16>,
}

/// Payers at work.
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
                client: Client::new(address, PATIENCE),
                stop: Arc::clone(&stop),
                acknowledged: Arc::clone(&acknowledged),
            };
            tasks.spawn(payer.work());
        }
        Self { stop, acknowledged, tasks }
    }

    /// How many payments were acknowledged so far.
    pub fn acknowledged(&self) -> usize {
        self.acknowledged.load(Ordering::SeqCst)
    }

    /// Lets each finish what it asked for last, and answers everything.
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
            let asked = self.next(payments.len());
            let sent = Instant::now();
            let (outcome, answered) = asked.judge(self.client.send(&asked.call(&self.world)).await);
            let id = answered.id.filter(|_| outcome == Outcome::Ok);
            if id.is_some() {
                self.acknowledged.fetch_add(1, Ordering::SeqCst);
            } else {
                sleep(PAUSE).await;
            }
            let (at, took) = (Instant::now(), sent.elapsed());
            payments.push(Payment { asked, id, at, took, status: answered.status });
        }
        payments
    }

    /// A cent from a node of one user to one of another.
    fn next(&mut self, number: usize) -> Asked {
        let users = self.world.users.len();
        let user = usize::try_from(self.random.below_u64(users as u64)).unwrap_or_default();
        let from = self.random.pick(&self.world.users[user].nodes).clone();
        let to = self.random.pick(&self.world.users[(user + 1) % users].nodes).clone();
        let (workload, key) = ("payments".to_owned(), format!("{}-{number}", self.name));
        Asked::Pay { workload, user, from, to, amount: 1, fee: 0, key }
    }
}
