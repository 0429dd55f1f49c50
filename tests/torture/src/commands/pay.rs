//! `daybook-torture pay`: pays at a fixed rate on services that run already, until its input ends. Then it compares
//! every payment with the log, resolves the unknown ones under their keys, and prints one line of JSON.
//!
//! It knows nothing of what happens meanwhile: `tests/failover/failover.py` builds the machines and breaks them.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

use crate::client::Client;
use crate::cluster::connect;
use crate::error::{Result, failed};
use crate::paced::Paced;
use crate::payments::Payment;
use crate::tally::{self, Tally};
use crate::world::World;

/// Number of payments that must be acknowledged after the end of the input.
const PAYMENTS_AFTER: usize = 50;
/// Timeout of the first calls, and of these payments.
const RESUME_TIMEOUT: Duration = Duration::from_mins(1);
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Options of `pay`.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Address of the services, or of the balancer in front of them
    #[arg(long)]
    pub address: SocketAddr,
    /// The database, to compare with: a login that may read the log; no TLS
    #[arg(long)]
    pub database_url: String,
    /// File with what `daybook client create --sandbox --json` printed
    #[arg(long)]
    pub client: PathBuf,
    /// Beginning of all idempotency keys: another one for each run
    #[arg(long)]
    pub name: String,
    /// Payments per second, 1 to 1000
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rate: u32,
    /// Seed of users and nodes
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Pays, compares and prints.
pub async fn run(options: Options) -> Result<ExitCode> {
    let credentials = serde_json::from_slice(&std::fs::read(&options.client)?)?;
    let world = World::make(&mut Client::new(options.address, RESUME_TIMEOUT), &credentials, 2).await?;
    let before = tally::count(&reach(&options.database_url).await?).await?;
    let pace = (options.name.clone(), Duration::from_secs(1) / options.rate);
    let (begun, paced) = (Instant::now(), Paced::start(world.clone(), options.address, pace, options.seed));
    input_ends().await?;
    goes_on(&paced).await?;
    let payments = paced.stop().await;
    let database = reach(&options.database_url).await?;
    let mut tally = Tally::of(&payments, &database).await?;
    tally.resolve(&payments, &world, options.address, (&database, before)).await?;
    println!("{}", told(&payments, &tally, begun));
    Ok(if tally.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Connects to the database, which may be moving once more.
async fn reach(url: &str) -> Result<tokio_postgres::Client> {
    let deadline = Instant::now() + RESUME_TIMEOUT;
    loop {
        match connect(url).await {
            Err(_) if Instant::now() < deadline => sleep(POLL_INTERVAL * 50).await,
            done => return done,
        }
    }
}

/// Waits for the end of the input. The parent process holds it open as long as payments are wanted.
async fn input_ends() -> Result<()> {
    let read = spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink())).await;
    read.map_err(failed)?.map(drop).map_err(Into::into)
}

/// Waits until payments are acknowledged.
async fn goes_on(paced: &Paced) -> Result<()> {
    let (before, deadline) = (paced.acknowledged(), Instant::now() + RESUME_TIMEOUT);
    while paced.acknowledged() < before + PAYMENTS_AFTER {
        if Instant::now() > deadline {
            return Err(failed("nothing is acknowledged any more"));
        }
        sleep(POLL_INTERVAL).await;
    }
    Ok(())
}

/// Result as one line; the gap is the longest time between two acknowledged answers to anybody.
fn told(payments: &[Payment], tally: &Tally, begun: Instant) -> serde_json::Value {
    let mut acknowledged: Vec<Instant> =
        payments.iter().filter(|payment| payment.id.is_some()).map(|payment| payment.at).collect();
    acknowledged.sort_unstable();
    let since = std::iter::once(&begun).chain(&acknowledged);
    let gap = since.zip(&acknowledged).map(|(earlier, later)| *later - *earlier).max().unwrap_or_default();
    let with = |is: fn(&Payment) -> bool| payments.iter().filter(|payment| is(payment)).count();
    let mut others = BTreeMap::<String, usize>::new();
    for status in payments.iter().filter(|payment| payment.id.is_none()).filter_map(|payment| payment.status)
    {
        if status != 503 {
            *others.entry(status.to_string()).or_default() += 1;
        }
    }
    json!({
        "asked": tally.asked,
        "acknowledged": tally.acknowledged,
        "gap_ms": u64::try_from(gap.as_millis()).unwrap_or(u64::MAX),
        "unavailable": with(|payment| payment.status == Some(503)),
        "without_retry_after": with(|payment| payment.status == Some(503) && payment.odd.is_some()),
        "unanswered": with(|payment| payment.status.is_none()),
        "others": others,
        "odd": payments.iter().find_map(|payment| payment.odd.as_deref()),
        "unknown_done": tally.done,
        "unknown_absent": tally.absent,
        "lost": tally.lost.len(),
        "doubled_or_missing": tally.surplus,
    })
}
