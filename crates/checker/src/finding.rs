//! Findings: inconsistencies with their place. At most 1,000 are kept, so memory is bounded even if the whole log is
//! wrong.

/// Maximum number of findings that are kept. Further ones are only counted.
const MAX_FINDINGS: usize = 1_000;

/// One inconsistency of the log.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Position of the log at which it shows; none if it concerns no position.
    pub position: Option<u64>,
    /// The object that is inconsistent: a commit, a stream, a cursor, a table.
    pub place: String,
    /// Description of the inconsistency.
    pub what: String,
}

/// Findings in the order in which they were made, up to a maximum.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    kept: Vec<Finding>,
    total: u64,
}

impl Findings {
    pub(crate) fn add(&mut self, position: u64, place: impl Into<String>, what: impl Into<String>) {
        self.take(Finding { position: Some(position), place: place.into(), what: what.into() });
    }

    pub(crate) fn take(&mut self, finding: Finding) {
        self.total += 1;
        if self.kept.len() < MAX_FINDINGS {
            self.kept.push(finding);
        }
    }

    pub(crate) fn kept(&self) -> &[Finding] {
        &self.kept
    }

    /// Returns the findings in order of position, and their total number.
    pub(crate) fn finish(mut self) -> (Vec<Finding>, u64) {
        // Findings without a position come last, so that the first finding leads an auditor to a place in the log.
        self.kept.sort_by_key(|finding| finding.position.unwrap_or(u64::MAX));
        (self.kept, self.total)
    }
}
