//! Files of a finished run as data: operations with their answers, faults, and the log.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bank_fold::BankFold;
use super::fold::Fold;
use crate::desk::Served;
use crate::error::Result;
use crate::history::{self, Answered, Line, Outcome, Phase};
use crate::ops::Asked;
use crate::world::World;

/// Evidence of a finished run.
pub struct Evidence {
    /// Platform, users and nodes.
    pub world: World,
    /// Every operation, by its number.
    pub ops: BTreeMap<u64, Op>,
    /// Every fault, in order.
    pub faults: Vec<Fault>,
    /// Violations that were seen outside of answers.
    pub wrong: Vec<String>,
    /// Time at which workload and faults were over, in microseconds since the beginning of the run.
    pub over_us: u64,
    /// All events of the log.
    pub log: Vec<Event>,
    /// Fold of the log.
    pub fold: Fold,
    /// Fold of the events of the desk's platform, if there is one.
    pub bank: Option<BankFold>,
    /// Results of the quiet phase at the end of the run.
    pub last: Last,
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Op {
    /// Session of the operation.
    pub session: u64,
    /// Requested operation.
    pub asked: Asked,
    /// Time of sending, in microseconds since the beginning of the run.
    pub sent_us: u64,
    /// Time of the answer, its outcome and its recorded parts; none if the run ended before.
    pub done: Option<(u64, Outcome, Answered)>,
    /// Resolution, if the outcome was unknown.
    pub resolved: Option<Resolved>,
}

/// Resolution of an operation with an unknown outcome.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// True if the operation had been executed.
    pub was_done: bool,
    /// Id of the transaction.
    pub id: String,
    /// Id that a second repetition returned.
    pub again: String,
}

/// A fault.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Name of the fault.
    pub name: String,
    /// Beginning and end, in microseconds since the beginning of the run.
    pub during_us: (u64, u64),
}

/// An event of the log, as `daybook log tail --json` prints it.
#[derive(Clone, Debug, Deserialize)]
pub struct Event {
    /// Position in the log.
    pub position: u64,
    /// Number of its commit.
    pub commit_no: u64,
    /// Name of its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Id of its aggregate.
    pub stream: String,
    /// Version in its stream.
    pub version: u64,
    /// Content, without sealed fields.
    pub data: Value,
}

/// Results of the quiet phase.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Last {
    /// Seed of the run.
    pub seed: u64,
    /// Git commit of the harness.
    pub commit: String,
    /// Commands of `daybook` with their results: verification and reconciliation.
    pub commands: Vec<Command>,
    /// Time that each start of a service took until it was ready, in milliseconds.
    pub ready_ms: Vec<u64>,
    /// Seconds by which times in the log were ahead of the clock after the last fault. Work that was recorded with such
    /// a time is due at that time, so all clocks were set ahead by this much for the rest of the run.
    pub ahead_s: u64,
    /// Time until read models and transactions came to rest after the last fault, in milliseconds; none if they did
    /// not.
    pub rest_ms: Option<u64>,
    /// Reads of the quiet phase.
    pub reads: Vec<(Asked, Answered)>,
    /// Deadlocks in PostgreSQL's log. Empty for runs that were recorded without this field.
    #[serde(default)]
    pub deadlocks: Vec<String>,
    /// Data of the desk, if there is one.
    #[serde(default)]
    pub desk: Option<Served>,
}

/// A command that was run in the quiet phase.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Command {
    /// Arguments.
    pub line: String,
    /// Exit code; none if the process was killed.
    pub code: Option<i32>,
    /// Last lines of its output.
    pub said: String,
}

impl Evidence {
    /// Reads the folder of a run.
    pub fn read(folder: &Path) -> Result<Self> {
        let world: World = serde_json::from_slice(&std::fs::read(folder.join("world.json"))?)?;
        let last = serde_json::from_slice(&std::fs::read(folder.join("last.json"))?)?;
        let log = BufReader::new(File::open(folder.join("log.jsonl"))?).lines();
        let log = log.map(|line| Ok(serde_json::from_str(&line?)?)).collect::<Result<Vec<Event>>>()?;
        let (ops, faults, over_us) = (BTreeMap::new(), vec![], u64::MAX);
        let fold = Fold::of(&log);
        let bank = world.desk.as_ref().map(|desk| BankFold::of(&log, &desk.platform));
        let wrong = vec![];
        let mut evidence = Self { world, ops, faults, wrong, over_us, log, fold, bank, last };
        let mut open = HashMap::new();
        for line in history::read(folder)? {
            evidence.add(line, &mut open);
        }
        Ok(evidence)
    }

    /// Returns all answers, of the workload and of the quiet phase.
    pub fn answers(&self) -> impl Iterator<Item = (&Asked, &Answered)> {
        let under_way = self.ops.values().filter_map(|op| Some((&op.asked, op.answered()?)));
        under_way.chain(self.last.reads.iter().map(|(asked, answered)| (asked, answered)))
    }

    /// Returns the positions that were acknowledged, with the time of each acknowledgement.
    pub fn acknowledged_by(&self) -> Newest {
        let mut known: Vec<(u64, u64)> = vec![];
        for op in self.ops.values().filter(|op| op.outcome() == Outcome::Ok) {
            let position = op.made().and_then(|id| Some(self.fold.transactions.get(id)?.position));
            known.extend(op.done.as_ref().map(|(done_us, ..)| *done_us).zip(position));
        }
        Newest::of(known)
    }

    fn add(&mut self, line: Line, open: &mut HashMap<String, u64>) {
        match line {
            Line::Invoke { op, session, at_us, asked } => {
                self.ops.insert(op, Op { session, asked, sent_us: at_us, done: None, resolved: None });
            }
            Line::Done { op, at_us, outcome, answered } => {
                if let Some(op) = self.ops.get_mut(&op) {
                    op.done = Some((at_us, outcome, answered));
                }
            }
            Line::Nemesis { name, phase: Phase::Begin, at_us } => {
                open.insert(name, at_us);
            }
            Line::Nemesis { name, phase: Phase::End, at_us } => {
                if let Some(begun) = open.remove(&name) {
                    self.faults.push(Fault { name, during_us: (begun, at_us) });
                }
            }
            Line::Wrong { at_us, what } => self.wrong.push(format!("at {at_us} us: {what}")),
            Line::Over { at_us } => self.over_us = at_us,
            Line::Resolved { op, was_done, id, again } => {
                if let Some(op) = self.ops.get_mut(&op) {
                    op.resolved = Some(Resolved { was_done, id, again });
                }
            }
        }
    }
}

/// The greatest position that was known at each time.
pub struct Newest(Vec<(u64, u64)>);

impl Newest {
    /// Creates the table from pairs of time and position.
    pub fn of(mut known: Vec<(u64, u64)>) -> Self {
        known.sort_unstable();
        let mut newest = 0;
        for (_, position) in &mut known {
            newest = newest.max(*position);
            *position = newest;
        }
        Self(known)
    }

    /// Returns the greatest position that was known before `at_us`; 0 if there was none.
    pub fn before(&self, at_us: u64) -> u64 {
        let after = self.0.partition_point(|(since_us, _)| *since_us < at_us);
        after.checked_sub(1).map_or(0, |last| self.0[last].1)
    }
}

impl Op {
    /// Returns the outcome that the answer tells; unknown without an answer.
    pub fn outcome(&self) -> Outcome {
        self.done.as_ref().map_or(Outcome::Info, |(_, outcome, _)| *outcome)
    }

    /// Returns the recorded parts of the answer.
    pub fn answered(&self) -> Option<&Answered> {
        self.done.as_ref().map(|(_, _, answered)| answered)
    }

    /// Returns true if the operation was refused, and that is no violation.
    pub fn is_refused(&self) -> bool {
        self.answered().is_some_and(|answered| answered.refused.is_some())
    }

    /// Returns true if this very answer acknowledged the operation, not a 409 for a used key.
    pub fn is_acknowledged(&self) -> bool {
        self.answered().is_some_and(|answered| answered.status == Some(200))
    }

    /// Returns the id of the created object, acknowledged or resolved.
    pub fn made(&self) -> Option<&str> {
        let resolved = self.resolved.as_ref().map(|resolved| resolved.id.as_str());
        resolved.or_else(|| self.answered()?.id.as_deref())
    }
}
