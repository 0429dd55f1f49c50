//! View of clients on a ledger at rest: complete answers, to compare with those at another time.

use std::net::SocketAddr;
use std::time::Duration;

use daybook_random::Random;

use crate::client::Client;
use crate::ops::Asked;
use crate::payments::Payment;
use crate::world::World;

/// Size of a page, and maximum number of transactions that are read one by one.
const PAGE_SIZE: u64 = 100;
const MAX_PAGES_READ: usize = 20;
/// Timeout, longer than any answer may take.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);

/// Requests with their answers: status and body.
pub struct Sight(Vec<(Asked, Option<(u16, serde_json::Value)>)>);

/// Result of the comparison of two views.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// Number of equal answers.
    pub same: usize,
    /// Number of answers that report an unavailable service: 503.
    pub told: usize,
    /// Requests whose answer is missing or differs.
    pub wrong: Vec<String>,
}

/// Returns all requests of a view: balances, all pages and some of `payments`.
pub fn questions(world: &World, payments: &[Payment], random: &mut Random) -> Vec<Asked> {
    let users = world.users.len();
    let acknowledged: Vec<&Payment> = payments.iter().filter(|payment| payment.id.is_some()).collect();
    let pages = acknowledged.len() as u64 / PAGE_SIZE + 1;
    let mut asked: Vec<Asked> = (0..users).map(|user| Asked::Nodes { user }).collect();
    asked.extend(
        (0..users).flat_map(|user| (1..=pages).map(move |page| Asked::Page { user, page, size: PAGE_SIZE })),
    );
    for _ in 0..MAX_PAGES_READ.min(acknowledged.len()) {
        let Payment { asked: payment, id, .. } = random.pick(&acknowledged);
        if let (Asked::Pay { user, from, .. }, Some(id)) = (payment, id) {
            asked.push(Asked::Get { user: *user, node: from.clone(), id: id.clone() });
        }
    }
    asked
}

impl Sight {
    /// Sends all requests to `address`.
    pub async fn of(world: &World, address: SocketAddr, questions: &[Asked]) -> Self {
        let mut client = Client::new(address, RESPONSE_TIMEOUT);
        let mut seen = vec![];
        for asked in questions {
            let answer = client.send(&asked.call(world)).await;
            seen.push((asked.clone(), answer.ok().map(|answer| (answer.status, answer.body))));
        }
        Self(seen)
    }

    /// Returns true if every request was answered with 200.
    pub fn is_whole(&self) -> bool {
        self.0.iter().all(|(_, answer)| matches!(answer, Some((200, _))))
    }

    /// Compares with the answers to the same requests at an earlier time.
    pub fn compare(&self, before: &Self) -> Compared {
        let mut compared = Compared::default();
        for ((asked, now), (_, before)) in self.0.iter().zip(&before.0) {
            match now {
                Some((503, _)) => compared.told += 1,
                _ if now == before => compared.same += 1,
                _ => compared.wrong.push(format!("{asked:?}: {now:?}, before {before:?}")),
            }
        }
        compared
    }
}

/// Sends a payment under this key to `address`. Returns true if it was executed, false for 503, and none for any other
/// answer or no answer.
pub async fn pay(world: &World, address: SocketAddr, key: &str) -> Option<bool> {
    let [from, to] = [0, 1].map(|user| world.users[user].nodes[0].clone());
    let (user, workload, key) = (0, "sight".to_owned(), key.to_owned());
    let asked = Asked::Pay { workload, user, from, to, amount: 1, fee: 0, key };
    let answer = Client::new(address, RESPONSE_TIMEOUT).send(&asked.call(world)).await;
    match answer.ok()?.status {
        200 => Some(true),
        503 => Some(false),
        _ => None,
    }
}
