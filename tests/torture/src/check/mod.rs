//! Checks of the guarantees, on the files of a run. Each check has a file and a line in [`ALL`].

mod answers;
mod balances;
mod bank_fold;
mod bank_lines;
mod bank_records;
mod bank_served;
mod conserved;
mod coverage;
mod deadlocks;
mod evidence;
mod fold;
mod keys;
mod limits;
mod liveness;
mod lost;
mod order;
mod pages;
mod phantom;
mod replay;
mod report;
mod rolling;
mod sessions;
mod timelines;
mod unknown;
mod verified;
mod way;

use std::path::Path;

pub use evidence::{Command, Evidence, Last};
pub use report::Report;

use crate::error::Result;

/// Violations that a check found, one sentence each; empty if there are none.
pub type Findings = Vec<String>;

/// Function of a check.
type Look = fn(&Evidence) -> Findings;

/// All checks: number in `docs/RELIABILITY.md`, guarantee, and function.
pub const ALL: &[(&str, &str, Look)] = &[
    ("C1", "postings sum to zero, and balances are their sums at one position", conserved::look),
    ("C2", "every acknowledged write is in the log as it was requested", lost::look),
    ("C3", "a key creates one transaction", keys::look),
    ("C4", "everything in the log was requested and reported to its client", phantom::look),
    ("C5", "unknown outcomes are resolved by their keys and do not change", unknown::look),
    ("C6", "a write acknowledged before another was sent has the smaller position", order::look),
    ("C7", "clients read their own writes, and no read goes back in time", sessions::look),
    ("C8", "a page is the fold of the log at its position", pages::look),
    ("C9", "a timeline is the fold of its events", timelines::look),
    ("C10", "read models are the fold of the log, now and at earlier positions", replay::look),
    ("C11", "no balance is negative, and no node holds more than its balance", limits::look),
    ("C12", "hash tree, signatures and anchor agree", verified::look),
    ("C13", "writes and background work continue soon after the last fault", liveness::look),
    ("C14", "every kind of fault overlapped an operation", coverage::look),
    ("C15", "every answer is documented, and every process ends in order", answers::look),
    ("C16", "answers are in time during network faults, and writes continue soon after", way::look),
    ("C17", "a rolling restart drops no call", rolling::look),
    ("C18", "PostgreSQL reported no deadlock", deadlocks::look),
    ("C19", "a line of the bank is booked once, and an item explained once", bank_lines::look),
    ("C20", "the bank's lines are booked, matched, listed, and tie out", bank_served::look),
];

/// Checks the run in `folder`.
pub fn check(folder: &Path) -> Result<Report> {
    let evidence = Evidence::read(folder)?;
    let mut report = Report::of(&evidence);
    for (id, says, look) in ALL {
        report.checked(id, says, look(&evidence));
    }
    Ok(report)
}
