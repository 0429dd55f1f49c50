//! `daybook-bench overload`: throughput of the service under overload.
//!
//! A closed loop determines the capacity. Then open loops send one, two and five times as many requests per second, on
//! so many connections that the service's queue fills before they do. The throughput of accepted requests must not
//! drop, their latency must stay bounded, and rejected requests must be answered with Retry-After.

use std::time::Duration;

use super::figures::{Line, Report, Run, Sample, count, ms, percentile};
use super::load::client::failed;
use super::load::{Ask, Load};
use super::machine::Machine;
use super::peers::Peers;
use super::stage::running::{Measured, Running, created_after};
use super::stage::server::Server;
use super::stage::{SETTLE_NEVER, Stage};
use super::targets::create;
use crate::error::Error;
use crate::options::Overload as Options;

/// Offered loads, as multiples of the capacity.
const FACTORS: [u8; 3] = [1, 2, 5];

/// Maximum wait of a request for a connection, so that the load generator has no long queue of its own.
const GIVE_UP_AFTER: Duration = Duration::from_secs(1);

/// Measures on `server`.
pub(crate) async fn measure(options: &Options, server: &Server) -> Result<Report, Error> {
    server.start().await?;
    let stage = Stage::set(server, options.nodes).await?;
    let mut runs = vec![];
    for number in 1..=options.runs {
        eprintln!("run {number} of {}", options.runs);
        let running = Running::on_copy(&stage, "overload", SETTLE_NEVER).await?;
        runs.push(Box::pin(run(&running, options, number as u64)).await?);
        running.strike().await?;
    }
    let machine = Machine::look(&server.database("postgres")?, server.folder()).await?;
    Ok(Report::new("Daybook overloaded", &machine, &runs, Peers::default(), notes(options)))
}

async fn run(running: &Running<'_>, options: &Options, seed: u64) -> Result<Run, Error> {
    let (duration, mut run) = (options.duration, Run::default());
    create::warm_up(running, duration).await?;
    let capacity = create::closed(running, create::MANY_CLIENTS, Ask::Pay, duration).await?;
    let memory = ("memory of the server, MiB", capacity.memory_mib);
    run.put(Line::Capacity, capacity.sample().also(memory.0, memory.1));
    for factor in FACTORS {
        let offered = f64::from(factor) * capacity.rate();
        let load = Load::open(options.connections, Ask::Pay, offered, duration, seed);
        let observed = running.observe(load.giving_up_after(GIVE_UP_AFTER)).await?;
        check(running, &observed).await?;
        run.put(Line::Overload(factor), sample(&observed, offered));
    }
    Ok(run)
}

/// Checks that all acknowledged transactions exist. Those answered with 503 may exist as well.
async fn check(running: &Running<'_>, observed: &Measured) -> Result<(), Error> {
    let (accepted, created) =
        (observed.outcome.transactions, created_after(&running.pg, observed.before).await?);
    let most = accepted + observed.outcome.shed.unavailable + observed.outcome.refused.len() as u64;
    if (accepted..=most).contains(&created) {
        return Ok(());
    }
    Err(failed(format!("transactions in the log: {accepted} to {most} expected, {created} found")))
}

fn sample(observed: &Measured, offered: f64) -> Sample {
    let (outcome, shed) = (&observed.outcome, observed.outcome.shed);
    let [accepted, other] =
        [outcome.latencies.len(), outcome.refused.len()].map(|number| count(number as u64));
    let sent = accepted + count(shed.answered()) + other;
    let percent = |number: u64| 100.0 * count(number) / (sent + count(shed.never_sent));
    if let Some(first) = outcome.refused.first() {
        eprintln!("  {other} requests were answered in another way; the first: {first}");
    }
    observed
        .sample()
        .latencies(&outcome.answered_in)
        .also("offered per second", offered)
        .also("sent per second", sent / outcome.elapsed.as_secs_f64())
        .also("answered 429, %", percent(shed.too_many))
        .also("answered 503, %", percent(shed.unavailable))
        .also("of these without Retry-After", count(shed.without_retry_after))
        .also("answered in another way", other)
        .also("never sent, %", percent(shed.never_sent))
        .also("p99 of accepted ones from when they were due, ms", ms(percentile(&outcome.latencies, 990)))
        .also("memory of the server, MiB", observed.memory_mib)
        .also("caught up after ms", ms(observed.drained_in))
}

fn notes(options: &Options) -> Vec<String> {
    let (seconds, connections) = (options.duration.as_secs_f64(), options.connections);
    let patience = GIVE_UP_AFTER.as_secs();
    vec![
        format!("medians over the runs, {seconds} s for each; what is compared is of the same run"),
        format!("arrivals are independent (Poisson) and fixed beforehand, on {connections} connections"),
        format!(
            "the figure is what was answered 200, per second; p50 and p99 are of these, from when the request was sent; one \
             that found no free connection for {patience} s was never sent"
        ),
        "the load takes its share of the cores: where it is large, the server had that much less".into(),
    ]
}
