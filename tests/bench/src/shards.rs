//! Shards: payments per second, and the time of processors for each, of several shards on one server and on two, side by
//! side with one shard on one server.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::Instant;

use daybook_cli::config::Bank;
use daybook_cli::service::Service;
use daybook_engine::{Entropy, NewPlatform, Settings, Shard};
use daybook_log::postgres::add_shard;
use daybook_pg::{Pg, migrate};
use daybook_random::Random;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::error::Error;
use crate::load::client::failed;
use crate::options::Shards;
use crate::stage::cpu::Processes;
use crate::stage::nodes::{Nodes, Party};
use crate::stage::server::Server;
use crate::stage::{KeyFiles, SETTLE_NEVER, vacuum};
use crate::stopped;
use crate::targets::engine::Producer;

/// Shards and servers of a layout, and its database.
#[derive(Clone, Copy, Debug)]
struct Layout {
    shards: Shard,
    servers: usize,
    database: &'static str,
}

const LAYOUTS: [Layout; 3] = [
    Layout { shards: 1, servers: 1, database: "one" },
    Layout { shards: 4, servers: 1, database: "four" },
    Layout { shards: 4, servers: 2, database: "four_on_two" },
];

/// A layout with a platform and its nodes in each shard.
struct Ground {
    layout: Layout,
    pg: Pg,
    parties: Vec<(Party, Arc<Nodes>)>,
}

/// Result of one measurement.
#[derive(Clone, Copy, Debug)]
struct Run {
    payments_per_s: f64,
    /// Microseconds of processors for a payment: in this process, and in PostgreSQL.
    cpu_us: [f64; 2],
}

/// Measures the layouts in turn and prints the medians.
///
/// # Errors
///
/// Fails if a server cannot be started, or a payment fails.
pub(crate) async fn run(options: &Shards) -> Result<(), Error> {
    let mut servers = vec![];
    for _ in 0..2 {
        let server = Server::prepare(options.pg_bin.clone()).await?;
        server.start().await?;
        servers.push(server);
    }
    let measured = tokio::select! {
        measured = Box::pin(measure(options, &servers)) => measured,
        stopped = stopped("stopped before the end") => stopped,
    };
    for server in servers {
        server.remove().await?;
    }
    print(&measured?);
    Ok(())
}

async fn measure(options: &Shards, servers: &[Server]) -> Result<Vec<Vec<Run>>, Error> {
    let keys = KeyFiles::create(&servers[0])?;
    let mut grounds = vec![];
    for layout in LAYOUTS {
        grounds.push(Ground::lay(layout, servers, &keys, options.nodes).await?);
    }
    let mut runs = vec![vec![]; LAYOUTS.len()];
    for round in 0..options.runs {
        for (ground, runs) in grounds.iter().zip(&mut runs) {
            for server in servers {
                server.rest().await?;
            }
            let run = ground.pay(servers, &keys, options, round as u64).await?;
            eprintln!("{:?}: {run:?}", ground.layout);
            runs.push(run);
        }
    }
    Ok(runs)
}

impl Ground {
    async fn lay(layout: Layout, servers: &[Server], keys: &KeyFiles, nodes: usize) -> Result<Self, Error> {
        for server in &servers[..layout.servers] {
            migrate::run(&server.create(layout.database, None).await?).await?;
        }
        let home = servers[0].database(layout.database)?.config().clone();
        // Half of the shards are on the second server.
        let others = servers[1..layout.servers].iter().map(|server| {
            Ok((layout.shards / 2 + 1..=layout.shards, server.database(layout.database)?.config().clone()))
        });
        let pg = Pg::with_servers(home, others.collect::<Result<_, Error>>()?)?;
        for number in 2..=layout.shards {
            add_shard(&pg, Uuid::from_bytes(Entropy.bytes())).await?;
            eprintln!("{}: shard {number}", layout.database);
        }
        let settings = Settings::settling_after(SETTLE_NEVER);
        let service = Service::start(pg.clone(), keys.load()?, settings).await?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let http = service.http(listener, &format!("http://{address}"))?;
        let handle = http.handle();
        tokio::spawn(http);
        let mut parties = vec![];
        for shard in 1..=layout.shards {
            let (client_id, client_secret) = (format!("client_id_{shard}"), "client_secret_bench".to_owned());
            let new = NewPlatform {
                name: "Bench",
                client_id: &client_id,
                client_secret: &client_secret,
                shard: Some(shard),
                sandbox: true,
                time_zone: None,
            };
            let platform = service.engine.ensure_platform(new).await?.id;
            let party = Party { shard, platform, client_id, client_secret };
            let nodes = Nodes::create(&service.engine, &party, address, nodes).await?;
            parties.push((party, Arc::new(nodes)));
        }
        service.stop().await;
        handle.stop(true).await;
        for server in pg.servers() {
            vacuum(&server).await?;
        }
        Ok(Self { layout, pg, parties })
    }

    /// Pays for a while through a new service.
    async fn pay(
        &self,
        servers: &[Server],
        keys: &KeyFiles,
        options: &Shards,
        round: u64,
    ) -> Result<Run, Error> {
        let settings = Settings::settling_after(SETTLE_NEVER);
        let service =
            Service::start_without_processes(self.pg.clone(), keys.load()?, settings, &Bank::default())
                .await?;
        let used = || {
            let of = |server: &Server| Processes { server: None, postmaster: server.pid() }.cpu();
            let all: Vec<_> = servers.iter().map(of).collect();
            [all[0].generator, all.iter().map(|cpu| cpu.postgres).sum()]
        };
        let (earlier, begun) = (used(), Instant::now());
        let mut producers = JoinSet::new();
        for number in 0..options.callers {
            let (party, nodes) = &self.parties[number % self.parties.len()];
            let producer = Producer {
                engine: service.engine.clone(),
                shard: party.shard,
                platform: party.platform,
                nodes: Arc::clone(nodes),
                random: Random::new(round * options.callers as u64 + number as u64),
                latencies: vec![],
            };
            producers.spawn(producer.work(begun + options.duration));
        }
        let mut count = 0_usize;
        while let Some(ended) = producers.join_next().await {
            count += ended.map_err(failed)??.len();
        }
        let (elapsed, later) = (begun.elapsed(), used());
        service.stop().await;
        #[allow(
            clippy::cast_precision_loss,
            reason = "a run has far fewer payments than a float counts exactly"
        )]
        let payments = count as f64;
        let of_one = |index: usize| (later[index] - earlier[index]) * 1e6 / payments;
        Ok(Run { payments_per_s: payments / elapsed.as_secs_f64(), cpu_us: [of_one(0), of_one(1)] })
    }
}

/// Prints a row for each layout: medians, and the ratio to one shard on one server.
fn print(runs: &[Vec<Run>]) {
    let median = |runs: &[Run], of: fn(&Run) -> f64| {
        let mut values: Vec<f64> = runs.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    println!("| Shards | Servers | Payments/s | Ratio | CPU per payment: service | PostgreSQL |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: |");
    let alone = median(&runs[0], |run| run.payments_per_s);
    for (layout, runs) in LAYOUTS.iter().zip(runs) {
        let rate = median(runs, |run| run.payments_per_s);
        let [service, postgres] = [median(runs, |run| run.cpu_us[0]), median(runs, |run| run.cpu_us[1])];
        println!(
            "| {} | {} | {rate:.0} | {:.2} | {service:.0} µs | {postgres:.0} µs |",
            layout.shards,
            layout.servers,
            rate / alone,
        );
    }
}
