//! The report: a line per figure, then what each check found.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;

use super::{Evidence, Findings};
use crate::error::Result;
use crate::history::Outcome;

/// How many findings of a check are shown.
const SHOWN: usize = 10;

/// What a run came to.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// The commit of the harness.
    pub commit: String,
    /// How often each nemesis struck.
    pub faults: BTreeMap<String, u64>,
    /// Operations that were asked for.
    pub operations: u64,
    /// Of these, those that were acknowledged.
    pub acknowledged: u64,
    /// Unknown writes that turned out to have been done.
    pub unknown_committed: u64,
    /// Unknown writes that turned out not to have been done.
    pub unknown_absent: u64,
    /// Events in the log.
    pub events: u64,
    /// The checks, with what they found.
    pub checks: Vec<Checked>,
}

/// What came of a check.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    id: String,
    says: String,
    findings: u64,
    first: Findings,
}

impl Report {
    /// The figures of a run.
    pub fn of(evidence: &Evidence) -> Self {
        let mut report = Self {
            seed: evidence.last.seed,
            commit: evidence.last.commit.clone(),
            operations: evidence.ops.len() as u64,
            events: evidence.log.len() as u64,
            ..Self::default()
        };
        for fault in &evidence.faults {
            *report.faults.entry(fault.name.clone()).or_default() += 1;
        }
        for op in evidence.ops.values() {
            report.acknowledged += u64::from(op.outcome() == Outcome::Ok);
            if let Some(resolved) = &op.resolved {
                *if resolved.was_done {
                    &mut report.unknown_committed
                } else {
                    &mut report.unknown_absent
                } += 1;
            }
        }
        report
    }

    /// Adds what a check found.
    pub fn checked(&mut self, id: &str, says: &str, mut found: Findings) {
        let findings = found.len() as u64;
        found.truncate(SHOWN);
        self.checks.push(Checked { id: id.to_owned(), says: says.to_owned(), findings, first: found });
    }

    /// Whether a check found something.
    pub fn has_failed(&self) -> bool {
        self.checks.iter().any(|check| check.findings > 0)
    }

    /// Prints it, and writes it as `report.json` into the folder of the run.
    pub fn tell(&self, folder: &Path) -> Result<()> {
        std::fs::write(folder.join("report.json"), serde_json::to_vec_pretty(self)?)?;
        println!("seed {}", self.seed);
        println!("commit {}", self.commit);
        for (name, count) in &self.faults {
            println!("faults {name} {count}");
        }
        println!("operations {}", self.operations);
        println!("acknowledged {}", self.acknowledged);
        println!("unknown committed {}", self.unknown_committed);
        println!("unknown absent {}", self.unknown_absent);
        println!("events {}", self.events);
        for check in &self.checks {
            println!("{} {} {}", check.id, if check.findings == 0 { "ok" } else { "FAILED" }, check.says);
            for finding in &check.first {
                println!("    {finding}");
            }
        }
        Ok(())
    }

    /// 1 if a check found something.
    pub fn exit_code(&self) -> ExitCode {
        if self.has_failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}
