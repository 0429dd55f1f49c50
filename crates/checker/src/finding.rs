//! Findings: what is wrong and where, with a cap, so that a log that is wrong everywhere is told in bounded memory.

/// How many findings are kept; the others are counted.
const KEPT: usize = 1_000;

/// Something that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The position of the log where it shows; none if it is about no position.
    pub position: Option<u64>,
    /// What it is about: a commit, a stream, a cursor, a table.
    pub place: String,
    /// What is wrong with it.
    pub what: String,
}

/// Findings in the order in which they were made.
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
        if self.kept.len() < KEPT {
            self.kept.push(finding);
        }
    }

    pub(crate) fn kept(&self) -> &[Finding] {
        &self.kept
    }

    /// The findings in order of position, and how many there were in all.
    pub(crate) fn finish(mut self) -> (Vec<Finding>, u64) {
        // Those about no position come last: the first that has one leads to the place.
        self.kept.sort_by_key(|finding| finding.position.unwrap_or(u64::MAX));
        (self.kept, self.total)
    }
}
