//! `daybook-bench load`: fills a database with a long and realistic history, through the engine itself.
//!
//! Many producers execute transactions from beginning to end, each waiting for its answers, so that the writer has full
//! batches. The producers also execute the steps that processes would execute when they are due: the commands are the
//! same, and a process would wait for the read models before each of them. The history depends on the seed. A log that
//! already has enough events stays as it is. A log that another program has written to is refused, because nothing can
//! be removed from it again.

mod cast;
mod deeds;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use daybook_cli::commands::ledger;
use daybook_cli::config::Bank;
use daybook_cli::database::Database;
use daybook_cli::keys::Keys;
use daybook_cli::progress::Progress;
use daybook_engine::{Engine, SHARD};
use daybook_random::Random;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::sleep;

use self::cast::Town;
use self::deeds::Producer;
use super::load::client::failed;
use crate::error::Error;
use crate::options::Load;
use crate::stopped;

/// Maximum number of producers: two full batches of the writer.
const PRODUCERS: u64 = 512;
/// Approximate number of events that a producer adds between two checks of the log's length.
const EVENTS_PER_DEED: u64 = 16;
/// Interval of progress reports.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Timeout for read models that do not advance.
const STALL_TIMEOUT: Duration = Duration::from_mins(10);

/// Fills the log up to the number of events in `options`.
///
/// # Errors
///
/// Fails if the options are invalid, another program has written to the log, or the engine fails.
pub(super) async fn load(options: &Load) -> Result<(), Error> {
    if options.platforms == 0 || options.nodes < cast::NODES_EACH * 2 * usize::from(options.platforms) {
        return Err(Error::Usage(format!("each platform needs at least {} nodes", cast::NODES_EACH * 2)));
    }
    let settings = ledger::SETTLE_IMMEDIATELY.remembering(options.cache.state_cache);
    let database = Database::make(&options.database).await?;
    let loading = async |database: &Database| {
        let keys = Keys::of(&options.database, &database.pg).await?;
        ledger::with_service(database, keys, settings, &Bank::default(), async |engine| {
            tokio::select! {
                made = make(&engine, options) => made,
                stopped = stopped("stopped; the same command goes on") => stopped,
            }
        })
        .await
    };
    database.during(loading).await
}

async fn make(engine: &Engine, options: &Load) -> Result<(), Error> {
    let (begun, began_at) = (Instant::now(), head(engine).await?);
    if began_at < options.events {
        refuse_other_logs(engine, began_at).await?;
    }
    live(engine, options, began_at).await?;
    let (end, made_in) = (head(engine).await?, begun.elapsed());
    project(engine, options, end).await?;
    let seconds = made_in.as_secs_f64();
    if options.json {
        println!("{}", json!({ "events": end, "added": end - began_at, "seconds": seconds }));
    } else {
        println!("{end} events, {} of them added in {seconds:.1} s", end - began_at);
    }
    Ok(())
}

/// Fills a log that this program made up to the number of events in `options`, and waits for the read models.
pub(super) async fn fill(engine: &Engine, options: &Load) -> Result<(), Error> {
    live(engine, options, head(engine).await?).await?;
    project(engine, options, head(engine).await?).await
}

/// Refuses a log that is not empty and lacks this program's first platform.
async fn refuse_other_logs(engine: &Engine, head: u64) -> Result<(), Error> {
    let ours = engine.access().platform_of_client(&cast::client_id(1)).await?;
    if head > 0 && ours.is_none() {
        return Err(Error::Usage(
            "this log was not made by daybook-bench load, and nothing is taken out of it".into(),
        ));
    }
    Ok(())
}

/// Runs producers until there are enough events.
async fn live(engine: &Engine, options: &Load, began_at: u64) -> Result<(), Error> {
    if began_at >= options.events {
        return Ok(());
    }
    let mut towns = vec![];
    for number in 1..=options.platforms {
        let nodes = options.nodes / usize::from(options.platforms);
        towns.push(Arc::new(Town::settle(engine, options.seed, number, nodes).await?));
    }
    let position = Arc::new(AtomicU64::new(head(engine).await?));
    let missing = options.events.saturating_sub(position.load(Ordering::Relaxed));
    let mut producers = JoinSet::new();
    for (number, town) in (0..(missing / EVENTS_PER_DEED).clamp(1, PRODUCERS)).zip(towns.iter().cycle()) {
        let producer = Producer {
            engine: engine.clone(),
            town: Arc::clone(town),
            // A continued run must not repeat the earlier actions.
            random: Random::of(&[options.seed, began_at, number]),
            position: Arc::clone(&position),
        };
        producers.spawn(producer.work(options.events));
    }
    let progress = Progress::new("history", Some(options.events), options.json);
    let watching = async {
        loop {
            progress.set(position.load(Ordering::Relaxed));
            sleep(POLL_INTERVAL).await;
        }
    };
    let working = async {
        while let Some(ended) = producers.join_next().await {
            ended.map_err(failed)?.map_err(failed)?;
        }
        Ok::<_, Error>(())
    };
    let done = tokio::select! { done = working => done, () = watching => Ok(()) };
    progress.set(position.load(Ordering::Relaxed));
    progress.finish();
    done
}

/// Waits for the read models.
async fn project(engine: &Engine, options: &Load, end: u64) -> Result<(), Error> {
    let progress = Progress::new("read models", Some(end), options.json);
    let (mut reached, mut moved) = (engine.reads().store().position(SHARD).await?, Instant::now());
    progress.set(reached);
    while reached < end {
        let now = engine.reads().store().caught_up(SHARD, end, POLL_INTERVAL).await?;
        if now > reached {
            (reached, moved) = (now, Instant::now());
            progress.set(reached);
        } else if moved.elapsed() > STALL_TIMEOUT {
            return Err(failed(format!("the read models stop at position {reached}")));
        }
    }
    progress.finish();
    Ok(())
}

async fn head(engine: &Engine) -> Result<u64, Error> {
    Ok(engine.log().head(SHARD).await.map_err(failed)?.position)
}
