//! The suite: all baselines and targets, in several runs on one server.
//!
//! Figures that are compared are measured shortly after each other, because the load of a shared machine changes.
//! Baselines come first, and the base of a ratio is measured right before the figure.

use std::time::Duration;

use super::baselines::{copy_in, pgbench};
use super::figures::{Line, Report, Run, Sample};
use super::machine::Machine;
use super::peers::Peers;
use super::stage::running::Running;
use super::stage::server::Server;
use super::stage::{SETTLE_NEVER, Stage};
use super::targets::{create, engine, history, lag, life, look};
use super::wanted::Wanted;
use crate::error::Error;
use crate::options::Suite as Options;

/// State of the suite.
struct Suite<'a> {
    options: &'a Options,
    stage: Stage<'a>,
    wanted: Wanted,
}

/// Makes all wanted measurements on `server`.
pub(crate) async fn measure(options: &Options, server: &Server) -> Result<Report, Error> {
    server.start().await?;
    pgbench::prepare(server).await?;
    let stage = Stage::set(server, options.nodes).await?;
    let suite = Suite { options, stage, wanted: Wanted::new(&options.only) };
    let mut notes = suite.notes();
    if suite.wanted.served_history() || suite.wanted.read_history() {
        let made_in = history::make(&suite.stage, options.history).await?;
        notes.push(format!("history: {} events at least, made in {} s", options.history, made_in.as_secs()));
    }
    let (mut runs, mut peers) = (vec![], Peers::default());
    for number in 1..=options.runs {
        eprintln!("run {number} of {}", options.runs);
        runs.push(Box::pin(suite.run(number as u64, &mut peers)).await?);
    }
    let machine = Machine::look(&server.database("postgres")?, server.folder()).await?;
    Ok(Report::new("Daybook beside its baselines", &machine, &runs, peers, notes))
}

impl Suite<'_> {
    async fn run(&self, number: u64, peers: &mut Peers) -> Result<Run, Error> {
        let mut run = Run::default();
        self.baselines(&mut run).await?;
        if let Some(program) = &self.options.peers {
            let b1 = run.value(Line::SimpleUpdate).unwrap_or_default();
            peers.measure(&self.stage, program, self.duration(), b1).await?;
        }
        if self.wanted.short_log() {
            let running = Running::on_copy(&self.stage, "short", SETTLE_NEVER).await?;
            self.short_log(&running, number, &mut run).await?;
            running.strike().await?;
        } else if self.wanted.served_history() {
            history::serve(&self.stage, self.duration(), &mut run).await?;
        }
        if self.wanted.has(2) {
            let running = Running::on_copy(&self.stage, "life", life::SETTLE_AFTER).await?;
            run.put(Line::Life, life::measure(&running, self.duration()).await?);
            running.strike().await?;
        }
        if self.wanted.has(5) {
            self.without_http(&mut run).await?;
        }
        if self.wanted.read_history() {
            Box::pin(history::read(&self.stage, &self.wanted, &mut run)).await?;
        }
        Ok(run)
    }

    async fn baselines(&self, run: &mut Run) -> Result<(), Error> {
        pgbench::touch(self.stage.server).await?;
        run.put(Line::SimpleUpdate, pgbench::simple_update(&self.stage, self.duration()).await?);
        if self.wanted.is_everything() {
            run.put(Line::Insert, pgbench::insert(&self.stage, self.duration()).await?);
        }
        Ok(())
    }

    /// Measures a server with a short log, and target 10 right after target 1.
    async fn short_log(&self, running: &Running<'_>, number: u64, run: &mut Run) -> Result<(), Error> {
        let duration = self.duration();
        create::warm_up(running, duration).await?;
        if self.wanted.create() {
            run.put(Line::Create, create::random(running, duration).await?.0);
        }
        if self.wanted.has(4) {
            run.put(Line::Hot, create::hot(running, duration).await?);
        }
        if self.wanted.served_history() {
            history::serve(&self.stage, duration, run).await?;
        }
        if self.wanted.has(11) {
            let offered = must_load(run);
            run.put(Line::Lag, lag::measure(running, offered, duration, number).await?);
        }
        if self.wanted.has(3) {
            run.put(Line::OpenLoop, create::open_loop(running, duration, number).await?);
        }
        if self.wanted.has(9) {
            run.put(Line::Batch, create::batches(running, duration).await?);
        }
        if self.wanted.has(8) {
            look::measure(running, duration, run).await?;
        }
        Ok(())
    }

    /// Measures target 5, right after its baseline.
    async fn without_http(&self, run: &mut Run) -> Result<(), Error> {
        self.stage.server.rest().await?;
        let pg = self.stage.server.database(pgbench::DATABASE)?;
        let earlier = self.stage.processes().cpu();
        let (copied, elapsed) = copy_in::measure(&pg, self.duration()).await?;
        let cores = self.stage.processes().cpu().cores_since(earlier, elapsed.as_secs_f64());
        run.put(Line::CopyIn, Sample::rate(copied, elapsed).cores(cores));
        pg.close();
        for (line, read_models) in
            [(Line::Engine, engine::ReadModels::Kept), (Line::EngineAlone, engine::ReadModels::NotKept)]
        {
            run.put(line, engine::measure(&self.stage, read_models, self.duration()).await?);
        }
        Ok(())
    }

    fn duration(&self) -> Duration {
        self.options.duration
    }

    /// Returns the notes about the measurement.
    fn notes(&self) -> Vec<String> {
        let (seconds, nodes) = (self.duration().as_secs(), self.options.nodes);
        let under_way = life::MAX_IN_FLIGHT;
        vec![
            format!(
                "medians over the runs, {seconds} s for each measurement; ratios are taken within a run, and verdicts are of \
                 medians; target 7 is as its slowest line"
            ),
            format!(
                "payments of 1.00 between {nodes} nodes, each request with an OAuth key and an idempotency key; personal \
                 data is sealed and read models are kept; settlement is an hour away but in target 2, where it is a second \
                 away and {under_way} transactions are on their way"
            ),
            "latencies are of all requests; those of open loops count from moments that were fixed beforehand (Poisson)".into(),
            "the server is a process of its own; targets 5, 6 and 7 and B4 run in the process of the load".into(),
            "after each load the log and the users' lists held exactly what was acknowledged, and no request was answered \
             anything but 200"
                .into(),
            format!("B1: `{} -T {seconds}` at scale {}", pgbench::SIMPLE_UPDATE, pgbench::SCALE),
            format!("B2: `{} -T {seconds}`, one row of some 450 bytes as jsonb, three indexes", pgbench::INSERT),
            "B3: the same rows into the same table, on 8 connections".into(),
        ]
    }
}

/// Returns the transactions per second that target 1 must reach, or its figure if that is less.
fn must_load(run: &Run) -> f64 {
    let must = create::MIN_RATIO * run.value(Line::SimpleUpdate).unwrap_or_default();
    must.min(run.value(Line::Create).unwrap_or_default())
}
