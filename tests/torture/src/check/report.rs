//! Report of a run: one line per figure, then the result of each check.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;

use super::bank_fold::BankFold;
use super::{Evidence, Findings};
use crate::error::Result;
use crate::history::Outcome;

/// Maximum number of printed findings of a check.
const MAX_FINDINGS_SHOWN: usize = 10;

/// Figures and check results of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Seed of the run.
    pub seed: u64,
    /// Git commit of the harness.
    pub commit: String,
    /// Number of faults of each kind.
    pub faults: BTreeMap<String, u64>,
    /// Number of operations.
    pub operations: u64,
    /// Number of acknowledged operations.
    pub acknowledged: u64,
    /// Number of unknown writes that had been executed.
    pub unknown_committed: u64,
    /// Number of unknown writes that had not been executed.
    pub unknown_absent: u64,
    /// Number of acknowledged writes that are not in the log.
    pub lost: u64,
    /// Number of violations of C3 and C4: unreported transactions, or several of one key.
    pub duplicated: u64,
    /// Sum of all postings, by currency.
    pub postings: BTreeMap<String, i64>,
    /// Time from a start of a service until it was ready, in milliseconds: median and maximum.
    pub ready_ms: (u64, u64),
    /// Time from the beginning of a fault to the acknowledgement of the first write that was sent after it, in
    /// milliseconds: median and maximum.
    pub gap_ms: (u64, u64),
    /// Number of events in the log.
    pub events: u64,
    /// Figures of the desk; empty if there is none.
    pub desk: BTreeMap<&'static str, u64>,
    /// Results of the checks.
    pub checks: Vec<Checked>,
}

/// Result of a check.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// Number of the check.
    pub id: String,
    /// Guarantee that it checks.
    pub says: String,
    /// Number of findings.
    pub findings: u64,
    /// First findings.
    pub first: Findings,
}

impl Report {
    /// Computes the figures of a run.
    pub fn of(evidence: &Evidence) -> Self {
        let mut report = Self {
            seed: evidence.last.seed,
            commit: evidence.last.commit.clone(),
            operations: evidence.ops.len() as u64,
            events: evidence.log.len() as u64,
            postings: evidence.fold.sums.clone(),
            ready_ms: spread(evidence.last.ready_ms.clone()),
            gap_ms: spread(gaps(evidence)),
            desk: evidence.bank.as_ref().map(BankFold::figures).unwrap_or_default(),
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

    /// Adds the result of a check.
    pub fn checked(&mut self, id: &str, says: &str, mut found: Findings) {
        let findings = found.len() as u64;
        match id {
            "C2" => self.lost = findings,
            "C3" | "C4" => self.duplicated += findings,
            _ => {}
        }
        found.truncate(MAX_FINDINGS_SHOWN);
        self.checks.push(Checked { id: id.to_owned(), says: says.to_owned(), findings, first: found });
    }

    /// Returns the checks with findings.
    pub fn failures(&self) -> impl Iterator<Item = &Checked> {
        self.checks.iter().filter(|check| check.findings > 0)
    }

    /// Prints the report, and writes it to `report.json` in the folder of the run.
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
        println!("lost {}", self.lost);
        println!("duplicated {}", self.duplicated);
        for (currency, sum) in &self.postings {
            println!("sum of postings {sum} {currency}");
        }
        println!("ready ms {} median, {} most", self.ready_ms.0, self.ready_ms.1);
        println!("write gap ms {} median, {} most", self.gap_ms.0, self.gap_ms.1);
        println!("events {}", self.events);
        for (name, count) in &self.desk {
            println!("desk {name} {count}");
        }
        for check in &self.checks {
            println!("{} {} {}", check.id, if check.findings == 0 { "ok" } else { "FAILED" }, check.says);
            for finding in &check.first {
                println!("    {finding}");
            }
        }
        Ok(())
    }

    /// Returns 1 if a check has findings, otherwise 0.
    pub fn exit_code(&self) -> ExitCode {
        if self.failures().count() > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}

/// Returns median and maximum; zeros for an empty list.
fn spread(mut of: Vec<u64>) -> (u64, u64) {
    of.sort_unstable();
    let at = |index: usize| of.get(index).copied().unwrap_or_default();
    (at(of.len() / 2), of.last().copied().unwrap_or_default())
}

/// Returns the time from the beginning of each fault to the acknowledgement of the first write that was sent after it,
/// in milliseconds.
fn gaps(evidence: &Evidence) -> Vec<u64> {
    let writes = evidence.ops.values().filter(|op| op.asked.is_write() && op.outcome() == Outcome::Ok);
    let mut spans: Vec<(u64, u64)> =
        writes.filter_map(|op| Some((op.sent_us, op.done.as_ref()?.0))).collect();
    spans.sort_unstable();
    // From the last write on: the earliest acknowledgement of all writes that were sent then or later.
    let mut earliest = u64::MAX;
    for (_, done) in spans.iter_mut().rev() {
        earliest = earliest.min(*done);
        *done = earliest;
    }
    let gap = |fault: &super::evidence::Fault| {
        let first = spans.partition_point(|(sent, _)| *sent < fault.during_us.0);
        Some((spans.get(first)?.1 - fault.during_us.0) / 1_000)
    };
    evidence.faults.iter().filter_map(gap).collect()
}
