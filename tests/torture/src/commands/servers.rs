//! `daybook-torture servers`: shards on three PostgreSQL servers, of which one after the other is killed under load. No call
//! about a shard on another server may fail, no acknowledged payment may be lost, and none may be made twice.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use tokio::time::sleep;

use crate::arena::{daybook, printed};
use crate::client::Client;
use crate::cluster::Cluster;
use crate::error::Result;
use crate::payments::{Payers, Payment};
use crate::service::{self, Host};
use crate::stage::{Watchdog, folder, keys};
use crate::tally::{Tally, count};
use crate::world::World;

/// Timeout of an answer while the world is created.
const START_TIMEOUT: Duration = Duration::from_secs(10);
/// Time before a kill and after a restart.
const QUIET_TIME: Duration = Duration::from_secs(3);
/// Payers of each shard.
const PAYERS: u64 = 4;

/// Options of `servers`.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Path of the binary `daybook`.
    #[arg(long)]
    pub binary: PathBuf,
    /// Number of kills; the two servers that are not home take turns.
    #[arg(long, default_value_t = 20)]
    pub kills: usize,
    /// Time for which a killed server is away, in seconds.
    #[arg(long, default_value_t = 6)]
    pub away_s: u64,
    /// Seed of the payments.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Server with a shard, and the platform in it.
struct Part {
    cluster: Cluster,
    world: World,
    _watchdog: Watchdog,
}

/// Kills servers and prints the result; fails if a call of another shard failed, or a payment was lost or doubled.
pub async fn run(options: Options) -> Result<ExitCode> {
    let (parts, hosts) = set_up(&options).await?;
    let (mut failed, mut tally, mut unanswered) = (0, Tally::default(), 0);
    for round in 0..options.kills {
        let victim = 1 + round % 2;
        let payments = pay_through_kill(&options, &parts, &hosts, (round, victim)).await?;
        for (number, (part, (before, payments))) in parts.iter().zip(payments).enumerate() {
            let database = part.cluster.connect().await?;
            let mut own = Tally::of(&payments, &database).await?;
            own.resolve(&payments, &part.world, hosts[0].address, (&database, before)).await?;
            let unknown = payments.iter().filter(|payment| payment.id.is_none()).count();
            if number == victim {
                unanswered += unknown;
            } else {
                failed += unknown;
                for payment in payments.iter().filter(|payment| payment.id.is_none()) {
                    println!("shard {}: {payment:?}", number + 1);
                }
            }
            failed += payments.iter().filter(|payment| payment.odd.is_some()).count();
            tally.add(own);
        }
        println!("kill {} of {}: {tally:?}, others failed {failed}", round + 1, options.kills);
    }
    println!(
        "{} kills: {} payments, {} acknowledged, {unanswered} of the killed server's without success; \
         failed on other servers {failed}, lost {}, doubled or missing {}",
        options.kills,
        tally.asked,
        tally.acknowledged,
        tally.lost.len(),
        tally.surplus
    );
    for host in &hosts {
        host.kill().await;
    }
    Ok(if failed == 0 && tally.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Pays on every shard while a server is killed and comes back. Returns the number of earlier transactions of each shard and
/// its payments.
async fn pay_through_kill(
    options: &Options,
    parts: &[Part],
    hosts: &[Host],
    (round, victim): (usize, usize),
) -> Result<Vec<(usize, Vec<Payment>)>> {
    let mut running = vec![];
    for (number, part) in parts.iter().enumerate() {
        let before = count(&part.cluster.connect().await?).await?;
        let (name, address) =
            (format!("kill-{round}-shard-{number}"), hosts[(round + number) % hosts.len()].address);
        running.push((before, Payers::start(&part.world, address, (&name, PAYERS), options.seed)));
    }
    sleep(QUIET_TIME).await;
    parts[victim].cluster.kill().await?;
    sleep(Duration::from_secs(options.away_s)).await;
    parts[victim].cluster.resume().await?;
    sleep(QUIET_TIME).await;
    let mut payments = vec![];
    for (before, payers) in running {
        payments.push((before, payers.stop().await));
    }
    Ok(payments)
}

/// Starts three servers, puts a shard with a platform on each, and starts two services.
async fn set_up(options: &Options) -> Result<(Vec<Part>, Vec<Host>)> {
    let (mut clusters, binary) = (vec![], &options.binary);
    for _ in 0..3 {
        let folder = folder()?;
        clusters.push((Cluster::start(&folder, &[]).await?, Watchdog::over(&folder)?));
    }
    let (home, folder) = (clusters[0].0.url(), clusters[0].0.folder().to_owned());
    keys(binary, &folder).await?;
    let maps: Vec<String> = (2..=3)
        .flat_map(|shard: usize| {
            ["--shard-url".to_owned(), format!("{shard}={}", clusters[shard - 1].0.url())]
        })
        .collect();
    let told = async |words: &[&str]| {
        let words: Vec<&str> = words.iter().copied().chain(maps.iter().map(String::as_str)).collect();
        printed(&daybook(binary, &folder, &home, &words).await?)
    };
    told(&["shard", "add", "--count", "2"]).await?;
    let options = service::Options {
        binary: binary.clone(),
        database_url: home.clone(),
        folder: folder.clone(),
        settle_after: Duration::from_secs(1),
        env: vec![],
        args: maps.clone(),
    };
    let hosts = [1, 2].map(|number| Host::new(&format!("service-{number}"), options.clone()));
    let hosts = hosts.into_iter().collect::<Result<Vec<_>>>()?;
    for host in &hosts {
        host.start().await?;
    }
    let mut parts = vec![];
    for (shard, (cluster, watchdog)) in (1..).zip(clusters) {
        let shard = shard.to_string();
        let made = told(&["client", "create", "Torture", "--sandbox", "--json", "--shard", &shard]).await?;
        let mut client = Client::new(hosts[0].address, START_TIMEOUT);
        let world = World::make(&mut client, &serde_json::from_str(&made)?, 2).await?;
        parts.push(Part { cluster, world, _watchdog: watchdog });
    }
    Ok((parts, hosts))
}
