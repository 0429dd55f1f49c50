//! What is counted of the engine by this process. What only the database can tell is asked when somebody looks.
//!
//! Labels are words of the code: no id and no text of anybody's is ever one.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use daybook_domain::Event;
use daybook_domain::process::Process;
use daybook_projector::{SECONDS, SIZES};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// One label: its name, and a word of the code.
type Label = [(&'static str, &'static str); 1];

/// What the engine of one process counts; clones count together.
#[derive(Clone, Debug)]
pub struct Metrics {
    pub(crate) writer: WriterMetrics,
    /// Commands that were told to come back, by what was full.
    refused: Family<Label, Counter>,
    to_dos: Family<[(&'static str, &'static str); 2], Counter>,
    resting: Gauge,
    webhook_attempts: Family<Label, Counter>,
    erasures: Counter,
    erasure_failures: Counter,
    erasure_stopped: Gauge,
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
            resting: Gauge::default(),
            webhook_attempts: counters("outcome", &["taken", "refused"]),
            erasures: Counter::default(),
            erasure_failures: Counter::default(),
            erasure_stopped: Gauge::default(),
        }
    }
}

impl Metrics {
    /// Has `registry` show them.
    pub fn register(&self, registry: &mut Registry) {
        self.writer.register(registry);
        let help = "Commands that were told to come back, by what was full: queue or boxes, or a platform's or a user's own part of them";
        registry.register("writer_refused", help, self.refused.clone());
        let help = "To-dos that were worked on, by process and outcome: done, failed, waiting";
        registry.register("todos_done", help, self.to_dos.clone());
        let help = "To-dos that failed or wait, and rest until their next attempt by this process";
        registry.register("todos_resting", help, self.resting.clone());
        let help = "Calls to subscriptions, by outcome";
        registry.register("webhook_attempts", help, self.webhook_attempts.clone());
        registry.register("erasures", "Erasures of the log that were executed again", self.erasures.clone());
        let help = "Looks for erasures that failed";
        registry.register("erasure_failures", help, self.erasure_failures.clone());
        let help = "1 while this process cannot see whether somebody was erased";
        registry.register("erasure_stopped", help, self.erasure_stopped.clone());
    }

    /// A command was told to come back, because `what` is full.
    pub(crate) fn refused(&self, what: &'static str) {
        self.refused.get_or_create(&[("full", what)]).inc();
    }

    /// A to-do was worked on.
    pub(crate) fn worked_on(&self, process: Process, outcome: &'static str) {
        self.to_dos.get_or_create(&[("process", process.as_str()), ("outcome", outcome)]).inc();
    }

    /// So many to-dos rest.
    pub(crate) fn resting(&self, count: usize) {
        self.resting.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// A subscription was called.
    pub(crate) fn called(&self, outcome: &'static str) {
        self.webhook_attempts.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// So many erasures were executed; none if they could not be looked up.
    pub(crate) fn erased(&self, executed: Option<usize>) {
        match executed {
            Some(count) => self.erasures.inc_by(count as u64),
            None => self.erasure_failures.inc(),
        };
        self.erasure_stopped.set(i64::from(executed.is_none()));
    }
}

/// What a writer counts.
#[derive(Clone, Debug)]
pub(crate) struct WriterMetrics {
    batch: Histogram,
    lock: Histogram,
    decide: Histogram,
    commit: Histogram,
    steps: Family<Label, Histogram, fn() -> Histogram>,
    commits: Counter,
    events: Family<Label, Counter>,
    /// Those of `events`, by the number of the type.
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

/// A counter for each of `values` of the label `name`: it is there, at 0, before anything is counted.
fn counters(name: &'static str, values: &[&'static str]) -> Family<Label, Counter> {
    let family = Family::<Label, Counter>::default();
    for value in values {
        let _ = family.get_or_create(&[(name, *value)]);
    }
    family
}

/// A histogram of durations.
fn seconds() -> Histogram {
    Histogram::new(SECONDS)
}

impl WriterMetrics {
    fn register(&self, registry: &mut Registry) {
        registry.register("writer_batch_commands", "Commands of a batch that was locked", self.batch.clone());
        let help = "Time of a batch, by step: lock, decide, commit";
        registry.register("writer_step_seconds", help, self.steps.clone());
        registry.register("writer_commits", "Commits by this process", self.commits.clone());
        registry.register("events", "Events appended by this process, by type", self.events.clone());
        let help = "Commits whose answer was lost, by what was found: committed, absent";
        registry.register("writer_lost_answers", help, self.lost_answers.clone());
        let help = "Batches that ended without a commit because something broke, by what was to be done: later, stale, corrupt, replaced";
        registry.register("writer_setbacks", help, self.setbacks.clone());
        let help = "States that the writer read from the log, because its cache lacked them";
        registry.register("writer_states_read", help, self.read.clone());
    }

    /// A batch of so many commands got the lock.
    pub(crate) fn locked(&self, commands: usize, took: Duration) {
        // A batch has a few hundred.
        #[allow(clippy::cast_precision_loss)]
        self.batch.observe(commands as f64);
        self.lock.observe(took.as_secs_f64());
    }

    /// A batch was decided.
    pub(crate) fn decided(&self, took: Duration) {
        self.decide.observe(took.as_secs_f64());
    }

    /// Events of these types were committed.
    pub(crate) fn committed(&self, types: impl IntoIterator<Item = i16>, took: Duration) {
        self.commit.observe(took.as_secs_f64());
        self.commits.inc();
        for counter in types.into_iter().filter_map(|event_type| self.by_type.get(&event_type)) {
            counter.inc();
        }
    }

    /// The answer to a commit was lost, and then it was found to be there or not.
    pub(crate) fn resolved(&self, is_there: bool) {
        let outcome = if is_there { "committed" } else { "absent" };
        self.lost_answers.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// So many states were looked for in the log.
    pub(crate) fn read(&self, states: usize) {
        self.read.inc_by(states as u64);
    }

    /// A batch ended without a commit.
    pub(crate) fn set_back(&self, how: &'static str) {
        self.setbacks.get_or_create(&[("kind", how)]).inc();
    }
}
