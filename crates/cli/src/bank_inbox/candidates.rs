//! Files that are waiting in the folder, and the time for which they have not changed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

/// Time for which a file must not have changed.
const UNCHANGED_FOR: Duration = Duration::from_secs(2);

/// First and longest pause after an attempt that failed.
const FIRST_PAUSE: Duration = Duration::from_secs(4);
const MAX_PAUSE: Duration = Duration::from_mins(1);

/// Identity and state of a file. Another one means that the file was replaced or written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    device: u64,
    inode: u64,
    length: u64,
    modified: (i64, i64),
}

impl From<&Metadata> for Version {
    fn from(of: &Metadata) -> Self {
        let modified = (of.mtime(), of.mtime_nsec());
        Self { device: of.dev(), inode: of.ino(), length: of.len(), modified }
    }
}

/// A file that can be taken.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Name in the folder, which may be any bytes.
    pub(super) name: OsString,
    /// Version that was seen at least twice.
    pub(super) version: Version,
}

impl Candidate {
    /// Length of the file, in bytes.
    pub(super) const fn length(&self) -> u64 {
        self.version.length
    }
}

/// An entry of the folder.
pub(super) enum Found {
    /// A file.
    File(Version),
    /// A folder, a link, a pipe, or another entry that is no file.
    Other,
}

struct Waiting {
    version: Version,
    since: Instant,
    /// Number of attempts that failed, and the time before which there is no other.
    failed: u32,
    until: Instant,
}

/// All entries of the folder.
#[derive(Default)]
pub(super) struct Candidates {
    files: BTreeMap<OsString, Waiting>,
    /// Names of entries that are no files, of which the log was told.
    others: Vec<OsString>,
}

impl Candidates {
    /// Notes the entries of a look at `now`. Those that are gone are forgotten.
    pub(super) fn seen(&mut self, found: Vec<(OsString, Found)>, now: Instant) {
        let (mut before, mut others) = (std::mem::take(&mut self.files), vec![]);
        for (name, found) in found {
            match found {
                Found::Other => others.push(name),
                Found::File(version) => {
                    let known = before.remove(&name).filter(|known| known.version == version);
                    let new = Waiting { version, since: now, failed: 0, until: now };
                    self.files.insert(name, known.unwrap_or(new));
                }
            }
        }
        for name in others.iter().filter(|name| !self.others.contains(name)) {
            tracing::warn!(file = ?name, "the bank's folder has an entry that is no file; it is left alone");
        }
        self.others = others;
    }

    /// Returns the files that have not changed for long enough, in the order of their names.
    pub(super) fn ready(&self, now: Instant) -> Vec<Candidate> {
        let is_ready = |waiting: &Waiting| now >= waiting.since + UNCHANGED_FOR && now >= waiting.until;
        let ready = self.files.iter().filter(|(_, waiting)| is_ready(waiting));
        ready.map(|(name, waiting)| Candidate { name: name.clone(), version: waiting.version }).collect()
    }

    /// Notes a failed attempt. Returns the pause until the next one.
    pub(super) fn stays(&mut self, candidate: &Candidate, now: Instant) -> Duration {
        let Some(waiting) = self.files.get_mut(&candidate.name) else { return Duration::ZERO };
        let pause = (FIRST_PAUSE * (1 << waiting.failed.min(6))).min(MAX_PAUSE);
        waiting.failed += 1;
        waiting.until = now + pause;
        pause
    }

    /// Returns a fault if attempts have failed. Files that were moved meanwhile are forgotten at the next look.
    pub(super) fn fault(&self) -> Option<String> {
        let count = self.files.values().filter(|waiting| waiting.failed > 0).count();
        (count > 0).then(|| format!("files of the bank stay where they are: {count}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Version = Version { device: 1, inode: 2, length: 3, modified: (4, 5) };
    const LAST: Version = Version { length: 7, modified: (4, 6), ..FIRST };

    fn look(candidates: &mut Candidates, version: Version, now: Instant) -> usize {
        candidates.seen(vec![("a".into(), Found::File(version)), ("b".into(), Found::Other)], now);
        candidates.ready(now).len()
    }

    #[test]
    fn growing_file_is_left_alone() {
        let (mut candidates, mut now) = (Candidates::default(), Instant::now());
        assert_eq!(look(&mut candidates, FIRST, now), 0);
        for length in 4..8 {
            now += UNCHANGED_FOR;
            assert_eq!(look(&mut candidates, Version { length, ..FIRST }, now), 0);
        }
        now += UNCHANGED_FOR;
        assert_eq!(look(&mut candidates, LAST, now), 0, "of the same length, and written to");
        now += UNCHANGED_FOR / 2;
        assert_eq!(look(&mut candidates, LAST, now), 0);
        now += UNCHANGED_FOR / 2;
        assert_eq!(look(&mut candidates, LAST, now), 1);
    }

    #[test]
    fn failed_attempts_become_rare() {
        let (mut candidates, mut now) = (Candidates::default(), Instant::now());
        let _ = look(&mut candidates, FIRST, now);
        let mut attempts = 0;
        for _ in 0..300 {
            now += UNCHANGED_FOR;
            let _ = look(&mut candidates, FIRST, now);
            if let Some(candidate) = candidates.ready(now).pop() {
                attempts += 1;
                candidates.stays(&candidate, now);
            }
            assert!(candidates.fault().is_some());
        }
        assert!((10..=16).contains(&attempts), "{attempts} in ten minutes");
        candidates.seen(vec![], now);
        assert_eq!(candidates.fault(), None);
    }
}
