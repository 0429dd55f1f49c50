//! Metrics of the engine in this process. Values that only the database knows are read when metrics are scraped.
//!
//! Label values are fixed words of the code or numbers of shards, never an id or a text from outside.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use daybook_domain::Event;
use daybook_domain::process::Process;
use daybook_log::Shard;
use daybook_projector::{SECONDS, SIZES};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// One label: its name and a fixed word.
type Label = [(&'static str, &'static str); 1];

/// The label of a shard.
type OfShard = [(&'static str, Shard); 1];

/// Metrics of one process's engine. Clones share the same counters.
#[derive(Clone, Debug)]
pub struct Metrics {
    pub(crate) writer: WriterMetrics,
    /// Commands refused as busy, by the limit that was reached.
    refused: Family<Label, Counter>,
    to_dos: Family<[(&'static str, &'static str); 2], Counter>,
    resting: Family<OfShard, Gauge>,
    webhook_attempts: Family<Label, Counter>,
    bank_files: Family<Label, Counter>,
    erasures: Counter,
    erasure_failures: Counter,
    erasure_stopped: Family<OfShard, Gauge>,
}

impl Default for Metrics {
    fn default() -> Self {
        let to_dos = Family::<[(&'static str, &'static str); 2], Counter>::default();
        for process in Process::ALL {
            for outcome in ["done", "failed", "waiting"] {
                let _ = to_dos.get_or_create(&[("process", process.as_str()), ("outcome", outcome)]);
            }
        }
        Self {
            writer: WriterMetrics::default(),
            refused: counters("full", &["queue", "own_queue", "boxes", "own_boxes"]),
            to_dos,
            resting: Family::default(),
            webhook_attempts: counters("outcome", &["taken", "refused"]),
            bank_files: counters("outcome", &["accepted", "repeated", "refused", "left"]),
            erasures: Counter::default(),
            erasure_failures: Counter::default(),
            erasure_stopped: Family::default(),
        }
    }
}

impl Metrics {
    /// Registers all metrics.
    pub fn register(&self, registry: &mut Registry) {
        self.writer.register(registry);
        let help = "Calls refused as busy, by the limit: queue or boxes in total, or the own share of a platform or user";
        registry.register("writer_refused", help, self.refused.clone());
        let help = "To-dos processed, by process and outcome: done, failed, waiting";
        registry.register("todos_done", help, self.to_dos.clone());
        let help = "To-dos that failed or wait, and are backing off until their next attempt by this process";
        registry.register("todos_resting", help, self.resting.clone());
        let help = "Webhook calls by this process, by outcome";
        registry.register("webhook_attempts", help, self.webhook_attempts.clone());
        let help = "Files in the folder of a bank by outcome: accepted, repeated, refused, or left for another attempt";
        registry.register("bank_files", help, self.bank_files.clone());
        registry.register(
            "erasures",
            "Erasures of the log that were executed, each again once an hour",
            self.erasures.clone(),
        );
        let help = "Failed attempts to read the erasures of the log";
        registry.register("erasure_failures", help, self.erasure_failures.clone());
        let help = "1 while this process cannot read the erasures of the log";
        registry.register("erasure_stopped", help, self.erasure_stopped.clone());
    }

    /// Counts a command refused as busy, because the limit `what` was reached.
    pub(crate) fn refused(&self, what: &'static str) {
        self.refused.get_or_create(&[("full", what)]).inc();
    }

    /// Counts a processed to-do.
    pub(crate) fn worked_on(&self, process: Process, outcome: &'static str) {
        self.to_dos.get_or_create(&[("process", process.as_str()), ("outcome", outcome)]).inc();
    }

    /// Sets the number of to-dos of a shard that are backing off.
    pub(crate) fn backing_off(&self, shard: Shard, count: usize) {
        self.resting.get_or_create(&[("shard", shard)]).set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// Counts a webhook attempt.
    pub(crate) fn called(&self, outcome: &'static str) {
        self.webhook_attempts.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// Counts a file in the folder of a bank: `accepted`, `repeated`, `refused` or `left`.
    pub fn bank_file(&self, outcome: &'static str) {
        self.bank_files.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// Counts executed erasures of a shard; none means that they could not be read.
    pub(crate) fn erased(&self, shard: Shard, executed: Option<usize>) {
        match executed {
            Some(count) => self.erasures.inc_by(count as u64),
            None => self.erasure_failures.inc(),
        };
        self.erasure_stopped.get_or_create(&[("shard", shard)]).set(i64::from(executed.is_none()));
    }
}

/// Metrics of a writer.
#[derive(Clone, Debug)]
pub(crate) struct WriterMetrics {
    batch: Histogram,
    lock: Histogram,
    decide: Histogram,
    commit: Histogram,
    steps: Family<Label, Histogram, fn() -> Histogram>,
    commits: Counter,
    events: Family<Label, Counter>,
    /// Counters of `events`, by the number of the event type.
    by_type: Arc<HashMap<i16, Counter>>,
    lost_answers: Family<Label, Counter>,
    setbacks: Family<Label, Counter>,
    read: Counter,
}

impl Default for WriterMetrics {
    fn default() -> Self {
        let steps = Family::new_with_constructor(seconds as fn() -> Histogram);
        let step = |name| steps.get_or_create_owned(&[("step", name)]);
        let [lock, decide, commit] = ["lock", "decide", "commit"].map(step);
        let events = Family::<Label, Counter>::default();
        let of_type = |name| events.get_or_create_owned(&[("type", name)]);
        let by_type = Event::schemas().map(|(schema, name)| (schema.event_type, of_type(name))).collect();
        Self {
            batch: Histogram::new(SIZES),
            lock,
            decide,
            commit,
            steps,
            commits: Counter::default(),
            events,
            by_type: Arc::new(by_type),
            lost_answers: counters("outcome", &["committed", "absent"]),
            setbacks: counters("kind", &["later", "stale", "corrupt", "replaced"]),
            read: Counter::default(),
        }
    }
}

/// Creates a counter for each of `values` of the label `name`, so that each exists with the value 0 from the start.
fn counters(name: &'static str, values: &[&'static str]) -> Family<Label, Counter> {
    let family = Family::<Label, Counter>::default();
    for value in values {
        let _ = family.get_or_create(&[(name, *value)]);
    }
    family
}

/// Creates a histogram of durations.
fn seconds() -> Histogram {
    Histogram::new(SECONDS)
}

impl WriterMetrics {
    fn register(&self, registry: &mut Registry) {
        registry.register(
            "writer_batch_commands",
            "Commands per batch that got the lock",
            self.batch.clone(),
        );
        let help = "Time of a batch, by step: lock, decide, commit";
        registry.register("writer_step_seconds", help, self.steps.clone());
        registry.register("writer_commits", "Commits by this process", self.commits.clone());
        registry.register("events", "Events appended by this process, by type", self.events.clone());
        let help = "Commits whose answer was lost, by the outcome in the log: committed, absent";
        registry.register("writer_lost_answers", help, self.lost_answers.clone());
        let help =
            "Batches that failed without a commit, by kind of failure: later, stale, corrupt, replaced";
        registry.register("writer_setbacks", help, self.setbacks.clone());
        let help = "States that the writer read from the log, because its cache lacked them";
        registry.register("writer_states_read", help, self.read.clone());
    }

    /// Records that a batch with this number of commands got the lock.
    pub(crate) fn locked(&self, commands: usize, took: Duration) {
        #[allow(
            clippy::cast_precision_loss,
            reason = "a batch has far fewer commands than a float counts exactly"
        )]
        self.batch.observe(commands as f64);
        self.lock.observe(took.as_secs_f64());
    }

    /// Records that a batch was decided.
    pub(crate) fn decided(&self, took: Duration) {
        self.decide.observe(took.as_secs_f64());
    }

    /// Records a commit of events with these types.
    pub(crate) fn committed(&self, types: impl IntoIterator<Item = i16>, took: Duration) {
        self.commit.observe(took.as_secs_f64());
        self.commits.inc();
        for counter in types.into_iter().filter_map(|event_type| self.by_type.get(&event_type)) {
            counter.inc();
        }
    }

    /// Counts a commit whose answer was lost, by whether it was found in the log.
    pub(crate) fn resolved(&self, is_there: bool) {
        let outcome = if is_there { "committed" } else { "absent" };
        self.lost_answers.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// Counts states that were read from the log.
    pub(crate) fn read(&self, states: usize) {
        self.read.inc_by(states as u64);
    }

    /// Counts a batch that ended without a commit.
    pub(crate) fn attempt_failed(&self, how: &'static str) {
        self.setbacks.get_or_create(&[("kind", how)]).inc();
    }
}
