//! The checks: what must be true of a run, from the files that it left. A check is a file and a line in [`ALL`].

mod answers;
mod balances;
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

/// What a check finds wrong, a sentence each; nothing if all is well.
pub type Findings = Vec<String>;

/// How a check looks.
type Look = fn(&Evidence) -> Findings;

/// Every check: its number in `docs/RELIABILITY.md`, what it says, and how it looks.
pub const ALL: &[(&str, &str, Look)] = &[
    ("C1", "postings sum to zero, entries are their sums, what is read is what was", conserved::look),
    ("C2", "what was acknowledged is in the log as it was asked for", lost::look),
    ("C3", "a key makes one transaction", keys::look),
    ("C4", "nothing is in the log that nobody asked for", phantom::look),
    ("C5", "what is unknown is resolved by its key, and stays so", unknown::look),
    ("C6", "what was answered before something was asked is before it in the log", order::look),
    ("C7", "who wrote it reads it, and nobody reads backwards", sessions::look),
    ("C8", "a page is what the log says at its position", pages::look),
    ("C9", "a timeline is the fold of its events", timelines::look),
    ("C10", "read models are the fold of the log, now and at earlier positions", replay::look),
    ("C11", "nobody has less than nothing, nobody promises more than there is", limits::look),
    ("C12", "hash chain, signatures and anchor agree", verified::look),
    ("C13", "it is well again soon after the last fault", liveness::look),
    ("C14", "faults met what was under way", coverage::look),
    ("C15", "every answer is one that the reference knows, every end a good one", answers::look),
    ("C16", "an answer comes in time, and what is healed is well soon", way::look),
    ("C17", "whoever restarts services one after the other drops nothing", rolling::look),
    ("C18", "nobody waited for each other", deadlocks::look),
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
