//! Payments compared with the log: each acknowledged one is there, each unknown one is resolved under its key, and no key
//! made two.

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

/// Every transaction that there is, and every key's.
const TRANSACTIONS: &str = "select stream::text from event where shard = 1 and type = 40";

/// How long an unknown payment is asked for again.
const PATIENCE: Duration = Duration::from_secs(30);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// What became of payments.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Those that were asked for.
    pub asked: usize,
    /// Those that were acknowledged.
    pub acknowledged: usize,
    /// Acknowledged and not in the log: their ids.
    pub lost: Vec<String>,
    /// Of the unknown ones, those that had been done.
    pub done: usize,
    /// Of the unknown ones, those that had not.
    pub absent: usize,
    /// Transactions in the log that nobody asked for, or that were made twice.
    pub surplus: usize,
}

impl Tally {
    /// Compares `payments` with what the log has, before anything is asked for again: only what is lost is found here.
    pub async fn of(payments: &[Payment], database: &Database) -> Result<Self> {
        let there = transactions(database).await?;
        let acknowledged = payments.iter().filter_map(|payment| payment.id.clone());
        let lost = acknowledged.filter(|id| !id_of(id).is_some_and(|id| there.contains(&id))).collect();
        let acknowledged = payments.iter().filter(|payment| payment.id.is_some()).count();
        Ok(Self { asked: payments.len(), acknowledged, lost, ..Self::default() })
    }

    /// Resolves what is unknown at `address`, one after the other; then every key has made one transaction, beside those
    /// that were there `before`.
    pub async fn resolve(
        &mut self,
        payments: &[Payment],
        world: &World,
        address: SocketAddr,
        (database, before): (&Database, usize),
    ) -> Result<()> {
        let mut client = Client::new(address, PATIENCE);
        for payment in payments.iter().filter(|payment| payment.id.is_none()) {
            *if ask_again(payment, world, &mut client).await? { &mut self.done } else { &mut self.absent } +=
                1;
        }
        let there = transactions(database).await?.len();
        self.surplus = (there + self.lost.len()).abs_diff(before + payments.len());
        Ok(())
    }

    /// Adds what became of others.
    pub fn add(&mut self, other: Self) {
        self.asked += other.asked;
        self.acknowledged += other.acknowledged;
        self.lost.extend(other.lost);
        self.done += other.done;
        self.absent += other.absent;
        self.surplus += other.surplus;
    }

    /// Whether nothing was lost and nothing made twice.
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

/// How many transactions the log has.
pub async fn count(database: &Database) -> Result<usize> {
    Ok(transactions(database).await?.len())
}

async fn transactions(database: &Database) -> Result<HashSet<String>> {
    let rows = database.query(TRANSACTIONS, &[]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Whether an unknown payment had been done: asked for again under its key until that is told.
async fn ask_again(payment: &Payment, world: &World, client: &mut Client) -> Result<bool> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let (outcome, answered) = payment.asked.judge(client.send(&payment.asked.call(world)).await);
        match (outcome, answered.status) {
            (Outcome::Ok, Some(409)) => return Ok(true),
            (Outcome::Ok, _) => return Ok(false),
            _ if Instant::now() > deadline => {
                return Err(failed(format!("{:?} is not resolved: {answered:?}", payment.asked)));
            }
            _ => sleep(LOOK_AGAIN).await,
        }
    }
}

/// An id as the log has it: a ULID as a UUID.
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
    fn an_id_is_read_as_the_log_writes_it() {
        let id = id_of("01ARYZ6S41TSV4RRFFQ69G5FAV");
        assert_eq!(id.as_deref(), Some("01563df3-6481-d676-4c61-efb99302bd5b"));
    }
}
