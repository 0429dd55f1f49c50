//! Comparison of payments with the log: each acknowledged payment is in it, each unknown one is resolved by its key,
//! and no key created two transactions.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_postgres::Client as Database;

use crate::client::Client;
use crate::error::{Result, failed};
use crate::history::Outcome;
use crate::payments::Payment;
use crate::world::World;

/// Query for the ids of all transactions: the streams of `transaction.created` events.
const TRANSACTIONS: &str = "select stream::text from event where type = 40";

/// Timeout for the repetitions of an unknown payment.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Counts of payments by their outcome.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Number of payments that were sent.
    pub asked: usize,
    /// Number of acknowledged payments.
    pub acknowledged: usize,
    /// Ids of acknowledged payments that are not in the log.
    pub lost: Vec<String>,
    /// Number of unknown payments that had been executed.
    pub done: usize,
    /// Number of unknown payments that had not been executed.
    pub absent: usize,
    /// Number by which the transactions in the log differ from the payments.
    pub surplus: usize,
}

impl Tally {
    /// Compares `payments` with the log before any payment is repeated. Only lost payments are counted here.
    pub async fn of(payments: &[Payment], database: &Database) -> Result<Self> {
        let there = transactions(database).await?;
        let acknowledged = payments.iter().filter_map(|payment| payment.id.clone());
        let lost = acknowledged.filter(|id| !id_of(id).is_some_and(|id| there.contains(&id))).collect();
        let acknowledged = payments.iter().filter(|payment| payment.id.is_some()).count();
        Ok(Self { asked: payments.len(), acknowledged, lost, ..Self::default() })
    }

    /// Repeats unknown payments at `address`, one after the other. Afterwards every key must have created one
    /// transaction, besides those that existed `before`.
    pub async fn resolve(
        &mut self,
        payments: &[Payment],
        world: &World,
        address: SocketAddr,
        (database, before): (&Database, usize),
    ) -> Result<()> {
        let mut client = Client::new(address, DELIVERY_TIMEOUT);
        for payment in payments.iter().filter(|payment| payment.id.is_none()) {
            *if ask_again(payment, world, &mut client).await? { &mut self.done } else { &mut self.absent } +=
                1;
        }
        let there = transactions(database).await?.len();
        self.surplus = (there + self.lost.len()).abs_diff(before + payments.len());
        Ok(())
    }

    /// Adds the counts of another tally.
    pub fn add(&mut self, other: Self) {
        self.asked += other.asked;
        self.acknowledged += other.acknowledged;
        self.lost.extend(other.lost);
        self.done += other.done;
        self.absent += other.absent;
        self.surplus += other.surplus;
    }

    /// Returns true if no payment was lost and none was executed twice.
    pub fn is_clean(&self) -> bool {
        self.lost.is_empty() && self.surplus == 0
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { asked, acknowledged, lost, done, absent, surplus } = self;
        write!(
            f,
            "{asked} asked, {acknowledged} acknowledged, {} lost, {done} unknown and done, {absent} unknown and \
             absent, {surplus} too many or too few",
            lost.len()
        )
    }
}

/// Returns the number of transactions in the log.
pub async fn count(database: &Database) -> Result<usize> {
    Ok(transactions(database).await?.len())
}

async fn transactions(database: &Database) -> Result<HashSet<String>> {
    let rows = database.query(TRANSACTIONS, &[]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Repeats an unknown payment under its key until it is answered. Returns true if it had been executed before.
async fn ask_again(payment: &Payment, world: &World, client: &mut Client) -> Result<bool> {
    let deadline = Instant::now() + DELIVERY_TIMEOUT;
    loop {
        let (outcome, answered) = payment.asked.judge(client.send(&payment.asked.call(world)).await);
        match (outcome, answered.status) {
            (Outcome::Ok, Some(409)) => return Ok(true),
            (Outcome::Ok, _) => return Ok(false),
            _ if Instant::now() > deadline => {
                return Err(failed(format!("{:?} is not resolved: {answered:?}", payment.asked)));
            }
            _ => sleep(POLL_INTERVAL).await,
        }
    }
}

/// Converts an id of the API, a ULID, to the form in the log, a UUID.
pub fn id_of(ulid: &str) -> Option<String> {
    const DIGITS: &str = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let number = ulid.chars().try_fold(0_u128, |number, digit| {
        let digit = DIGITS.find(digit)?;
        Some(number.checked_shl(5)? | u128::try_from(digit).ok()?)
    })?;
    let hex = format!("{number:032x}");
    Some([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
}

#[cfg(test)]
mod tests {
    use super::id_of;

    #[test]
    fn ulid_converts_to_uuid_of_log() {
        let id = id_of("01ARYZ6S41TSV4RRFFQ69G5FAV");
        assert_eq!(id.as_deref(), Some("01563df3-6481-d676-4c61-efb99302bd5b"));
    }
}
