//! Targets 6, 7, 10, 12 and 13: costs of a long history.

use std::time::{Duration, Instant};

use daybook_cli::config::{Bank, Database, StateCache};
use daybook_cli::service::Service;
use daybook_engine::Settings;

use super::create;
use crate::error::Error;
use crate::figures::{Line, Run, Sample, count};
use crate::history;
use crate::options::Load;
use crate::replay::{self, copy_out, rebuild, verify};
use crate::stage::running::{Running, caught_up};
use crate::stage::{Stage, vacuum};
use crate::wanted::Wanted;

/// Database with the history.
const DATABASE: &str = "history";

/// Number of nodes of the history, in addition to those of the stage.
const NODES: usize = 1000;

/// Generates a history of `events` events on a copy of the stage. Returns the time that it took.
pub(crate) async fn make(stage: &Stage<'_>, events: u64) -> Result<Duration, Error> {
    let (pg, begun) = (stage.copy(DATABASE).await?, Instant::now());
    let settings = Settings::settling_after(Duration::ZERO);
    let service =
        Service::start_without_processes(pg.clone(), stage.keys.load()?, settings, &Bank::default()).await?;
    let (cache, database) = (StateCache::default(), Database::default());
    let load = Load { events, platforms: 1, nodes: NODES, seed: 1, json: false, cache, database };
    history::fill(&service.engine, &load).await?;
    service.stop().await;
    vacuum(&pg).await?;
    pg.close();
    Ok(begun.elapsed())
}

/// Measures a server on the history: targets 10, 12 and 13.
pub(crate) async fn serve(stage: &Stage<'_>, duration: Duration, run: &mut Run) -> Result<(), Error> {
    let running = Running::on(stage, DATABASE).await?;
    let ready = Sample::of(running.child.ready_after.as_secs_f64());
    run.put(Line::Ready, ready.also("events", count(running.head().await?)));
    create::warm_up(&running, duration).await?;
    let (sample, measured) = create::random(&running, duration).await?;
    run.put(Line::Append, sample);
    let memory = Sample::of(measured.memory_mib).also("the most that it ever held, MiB", measured.peak_mib);
    run.put(Line::Memory, memory.also("nodes", count((stage.nodes.count() + NODES) as u64)));
    running.stop().await
}

/// Reads the history without a server: targets 6 and 7.
pub(crate) async fn read(stage: &Stage<'_>, wanted: &Wanted, run: &mut Run) -> Result<(), Error> {
    let pg = stage.server.database(DATABASE)?;
    caught_up(&pg).await?;
    vacuum(&pg).await?;
    stage.server.rest().await?;
    let log = replay::Stage::of(&pg).await?;
    run.put(Line::CopyOut, sample(stage, copy_out::measure(&log)).await?);
    if wanted.has(6) {
        run.put(Line::Verify, Box::pin(sample(stage, verify::measure(&log))).await?);
    }
    if wanted.has(7) {
        for model in rebuild::MODELS {
            stage.server.rest().await?;
            run.put(Line::Rebuild(model), Box::pin(sample(stage, rebuild::measure(&log, model))).await?);
        }
    }
    pg.close();
    Ok(())
}

/// Returns events per second, with the cores of this process and of PostgreSQL.
async fn sample(
    stage: &Stage<'_>,
    work: impl Future<Output = Result<replay::Figure, Error>>,
) -> Result<Sample, Error> {
    let earlier = stage.processes().cpu();
    let figure = work.await?;
    let cores = stage.processes().cpu().cores_since(earlier, figure.seconds);
    Ok(Sample::of(figure.per_second()).cores(cores).also("events", count(figure.events)))
}
