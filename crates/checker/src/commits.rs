//! Commits: numbers and positions without gaps, times that never decrease, and every event in the commit of its row.

use std::collections::VecDeque;

use daybook_log::raw::RawCommit;

use crate::check::CheckedEvent;
use crate::finding::Findings;

/// State of the commits that were read, and those to which the next events can belong.
#[derive(Debug)]
pub(crate) struct Commits {
    /// The newest commit that was read.
    last: SeenCommit,
    /// Commits whose events are still expected.
    ahead: VecDeque<SeenCommit>,
    /// True if an event after the last commit was already reported. Only the first one is.
    is_beyond: bool,
    count: u64,
}

/// The columns of a commit that the checks need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SeenCommit {
    pub(crate) commit_no: u64,
    pub(crate) last_position: u64,
    recorded_at_us: i64,
}

fn place(commit_no: u64) -> String {
    format!("commit {commit_no}")
}

impl Commits {
    /// Starts after the commit `commit_no`, whose last position is `position`.
    pub(crate) fn after(commit_no: u64, position: u64) -> Self {
        let last = SeenCommit { commit_no, last_position: position, recorded_at_us: i64::MIN };
        Self { last, ahead: VecDeque::new(), is_beyond: false, count: 0 }
    }

    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the last position of the newest commit.
    pub(crate) const fn end(&self) -> u64 {
        self.last.last_position
    }

    pub(crate) fn take(&mut self, commit: &RawCommit, found: &mut Findings) {
        let SeenCommit { commit_no, last_position, recorded_at_us } = self.last;
        let first = last_position + 1;
        if commit.commit_no != commit_no + 1 {
            let what = format!("it follows commit {commit_no}: the commits between are missing");
            found.add(first, place(commit.commit_no), what);
        }
        if commit.last_position < first {
            let what = format!("it ends at position {}, where others ended before", commit.last_position);
            found.add(first, place(commit.commit_no), what);
        }
        if commit.recorded_at_us < recorded_at_us {
            found.add(first, place(commit.commit_no), "it was recorded before the commit that it follows");
        }
        if commit.recorded_at_us % 1_000 != 0 {
            found.add(first, place(commit.commit_no), "its time is not a whole millisecond");
        }
        self.count += 1;
        let seen = SeenCommit {
            commit_no: commit.commit_no,
            last_position: commit.last_position,
            recorded_at_us: commit.recorded_at_us,
        };
        self.last = SeenCommit { last_position: seen.last_position.max(last_position), ..seen };
        self.ahead.push_back(seen);
    }

    /// Returns the commit to which an event belongs.
    pub(crate) fn of(&mut self, event: &CheckedEvent, found: &mut Findings) -> Option<SeenCommit> {
        while self.ahead.front().is_some_and(|commit| commit.last_position < event.position) {
            self.ahead.pop_front();
        }
        let Some(commit) = self.ahead.front().copied() else {
            if !self.is_beyond {
                self.is_beyond = true;
                found.add(event.position, "commits", "the events from here on belong to no commit");
            }
            return None;
        };
        if commit.recorded_at_us != event.recorded_at_us {
            let what = format!("it was recorded at another time than its {}", place(commit.commit_no));
            found.add(event.position, place(commit.commit_no), what);
        }
        Some(commit)
    }
}
