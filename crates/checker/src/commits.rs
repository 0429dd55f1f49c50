//! Commits: numbers and positions without a hole, times that never go back, and every event in the commit that it says.

use std::collections::VecDeque;

use daybook_log::raw::RawCommit;

use crate::check::Checked;
use crate::finding::Findings;

/// What is known of the commits, and which of them the next event may be in.
#[derive(Debug)]
pub(crate) struct Commits {
    /// The newest that was seen.
    last: Seen,
    /// Those that events are still expected of.
    ahead: VecDeque<Seen>,
    /// Whether an event beyond all commits was found already.
    is_beyond: bool,
    count: u64,
}

/// A commit, as far as it matters here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) commit_no: u64,
    pub(crate) last_position: u64,
    recorded_at_us: i64,
}

fn place(commit_no: u64) -> String {
    format!("commit {commit_no}")
}

impl Commits {
    /// Begins after the commit `commit_no`, which ends at `position`.
    pub(crate) fn after(commit_no: u64, position: u64) -> Self {
        let last = Seen { commit_no, last_position: position, recorded_at_us: i64::MIN };
        Self { last, ahead: VecDeque::new(), is_beyond: false, count: 0 }
    }

    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// The end of the newest commit.
    pub(crate) const fn end(&self) -> u64 {
        self.last.last_position
    }

    pub(crate) fn take(&mut self, commit: &RawCommit, found: &mut Findings) {
        let Seen { commit_no, last_position, recorded_at_us } = self.last;
        let first = last_position + 1;
        if commit.commit_no != commit_no + 1 {
            let what = format!("it follows commit {commit_no}: those between are missing");
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
        let seen = Seen {
            commit_no: commit.commit_no,
            last_position: commit.last_position,
            recorded_at_us: commit.recorded_at_us,
        };
        self.last = Seen { last_position: seen.last_position.max(last_position), ..seen };
        self.ahead.push_back(seen);
    }

    /// The commit of an event.
    pub(crate) fn of(&mut self, event: &Checked, found: &mut Findings) -> Option<Seen> {
        while self.ahead.front().is_some_and(|commit| commit.last_position < event.position) {
            self.ahead.pop_front();
        }
        let Some(commit) = self.ahead.front().copied() else {
            if !self.is_beyond {
                self.is_beyond = true;
                found.add(event.position, "commits", "from here on events belong to no commit");
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
