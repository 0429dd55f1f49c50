//! What a run left behind, put in order: operations with their answers, faults, the log.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fold::Fold;
use crate::error::Result;
use crate::history::{self, Answered, Line, Outcome, Phase};
use crate::ops::Asked;
use crate::world::World;

/// A run that is over.
pub struct Evidence {
    /// Who acted.
    pub world: World,
    /// Every operation, by its number.
    pub ops: BTreeMap<u64, Op>,
    /// Every fault, in order.
    pub faults: Vec<Fault>,
    /// What was seen that should not be, beside all answers.
    pub wrong: Vec<String>,
    /// When workload and faults were over.
    pub over_us: u64,
    /// The whole log.
    pub log: Vec<Event>,
    /// The log, folded.
    pub fold: Fold,
    /// What else was looked at before the stage was struck.
    pub last: Last,
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Op {
    /// Who asked.
    pub session: u64,
    /// What for.
    pub asked: Asked,
    /// When it was sent.
    pub sent_us: u64,
    /// When it was answered, what that tells, and what is kept of it; none if the run ended before.
    pub done: Option<(u64, Outcome, Answered)>,
    /// What it was found to be, if that was unknown.
    pub resolved: Option<Resolved>,
}

/// What an unknown operation was found to be.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// Whether it had been done.
    pub was_done: bool,
    /// What it made, by now.
    pub id: String,
    /// What asking once more answered.
    pub again: String,
}

/// A fault.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Whose.
    pub name: String,
    /// From when, until when.
    pub during_us: (u64, u64),
}

/// An event of the log, as `daybook log tail --json` shows it.
#[derive(Clone, Debug, Deserialize)]
pub struct Event {
    /// Its position.
    pub position: u64,
    /// The commit that it came with.
    pub commit_no: u64,
    /// Its type's name.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it is about.
    pub stream: String,
    /// Its place in the stream.
    pub version: u64,
    /// What it says in the clear.
    pub data: Value,
}

/// What was looked at when all was quiet.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Last {
    /// The seed of the run.
    pub seed: u64,
    /// The commit that the harness was built from.
    pub commit: String,
    /// Commands of `daybook`, and whether each ended well: verification, reconciliation.
    pub commands: Vec<Command>,
    /// How long each start of a service took until it was ready, in milliseconds.
    pub ready_ms: Vec<u64>,
    /// By how many seconds times of the log were ahead of the clock after the last fault. What was recorded ahead is due then,
    /// so clocks were set ahead as far before everything came to rest.
    pub ahead_s: u64,
    /// How long it took after the last fault until read models and transactions had come to rest, in milliseconds; none
    /// if they did not.
    pub rest_ms: Option<u64>,
    /// Operations that were asked when all was quiet.
    pub reads: Vec<(Asked, Answered)>,
    /// Deadlocks, as PostgreSQL tells of them; a run that was not looked at for any has none.
    #[serde(default)]
    pub deadlocks: Vec<String>,
}

/// A command that was run when all was quiet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Command {
    /// Its arguments.
    pub line: String,
    /// Its exit code; none if it was killed.
    pub code: Option<i32>,
    /// The end of what it printed.
    pub said: String,
}

impl Evidence {
    /// Reads the folder of a run.
    pub fn read(folder: &Path) -> Result<Self> {
        let world = serde_json::from_slice(&std::fs::read(folder.join("world.json"))?)?;
        let last = serde_json::from_slice(&std::fs::read(folder.join("last.json"))?)?;
        let log = BufReader::new(File::open(folder.join("log.jsonl"))?).lines();
        let log = log.map(|line| Ok(serde_json::from_str(&line?)?)).collect::<Result<Vec<Event>>>()?;
        let (ops, faults, over_us) = (BTreeMap::new(), vec![], u64::MAX);
        let fold = Fold::of(&log);
        let wrong = vec![];
        let mut evidence = Self { world, ops, faults, wrong, over_us, log, fold, last };
        let mut open = HashMap::new();
        for line in history::read(folder)? {
            evidence.add(line, &mut open);
        }
        Ok(evidence)
    }

    /// Everything that was answered, under way and when all was quiet.
    pub fn answers(&self) -> impl Iterator<Item = (&Asked, &Answered)> {
        let under_way = self.ops.values().filter_map(|op| Some((&op.asked, op.answered()?)));
        under_way.chain(self.last.reads.iter().map(|(asked, answered)| (asked, answered)))
    }

    /// Which positions were acknowledged, and when.
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

/// The greatest position that was known by each time.
pub struct Newest(Vec<(u64, u64)>);

impl Newest {
    /// From when each became known, and the position.
    pub fn of(mut known: Vec<(u64, u64)>) -> Self {
        known.sort_unstable();
        let mut newest = 0;
        for (_, position) in &mut known {
            newest = newest.max(*position);
            *position = newest;
        }
        Self(known)
    }

    /// The greatest one that was known before `at_us`; 0 if none was.
    pub fn before(&self, at_us: u64) -> u64 {
        let after = self.0.partition_point(|(since_us, _)| *since_us < at_us);
        after.checked_sub(1).map_or(0, |last| self.0[last].1)
    }
}

impl Op {
    /// What its answer tells; unknown without one.
    pub fn outcome(&self) -> Outcome {
        self.done.as_ref().map_or(Outcome::Info, |(_, outcome, _)| *outcome)
    }

    /// What is kept of its answer.
    pub fn answered(&self) -> Option<&Answered> {
        self.done.as_ref().map(|(_, _, answered)| answered)
    }

    /// Whether it was acknowledged by this very answer: not a used key.
    pub fn is_acknowledged(&self) -> bool {
        self.answered().is_some_and(|answered| answered.status == Some(200))
    }

    /// The id of what it made, acknowledged or resolved.
    pub fn made(&self) -> Option<&str> {
        let resolved = self.resolved.as_ref().map(|resolved| resolved.id.as_str());
        resolved.or_else(|| self.answered()?.id.as_deref())
    }
}
