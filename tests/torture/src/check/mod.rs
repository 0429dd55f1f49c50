//! The checks: what must be true of a run, from the files that it left. A check is a file and a line in [`ALL`].

mod evidence;
mod report;

use std::path::Path;

pub use evidence::{Command, Evidence, Last};
pub use report::Report;

use crate::error::Result;

/// What a check finds wrong, a sentence each; nothing if all is well.
pub type Findings = Vec<String>;

/// How a check looks.
type Look = fn(&Evidence) -> Findings;

/// Every check: its number in `docs/RELIABILITY.md`, what it says, and how it looks.
pub const ALL: &[(&str, &str, Look)] = &[];

/// Checks the run in `folder`.
pub fn check(folder: &Path) -> Result<Report> {
    let evidence = Evidence::read(folder)?;
    let mut report = Report::of(&evidence);
    for (id, says, look) in ALL {
        report.checked(id, says, look(&evidence));
    }
    Ok(report)
}
