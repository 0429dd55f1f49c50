//! What was asked, what was answered and what was harmed, in the order in which it happened: `history.jsonl`.
//!
//! An operation without an answer, or with one that tells nothing (503), is `info`: it may have been done. Its session
//! ends there, and whoever made it goes on in a new one (Jepsen's rule).

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::error::{Result, failed};
use crate::ops::{Asked, Seen};

/// What became of an operation, as far as its answer tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It was done, now or under its key before.
    Ok,
    /// It was refused.
    Fail,
    /// Nobody knows.
    Info,
}

/// When a nemesis did something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// From here on something is harmed.
    Begin,
    /// It is as it was.
    End,
}

/// A line of the history; times are microseconds since the run began.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum Line {
    /// An operation is sent.
    Invoke {
        /// Its number.
        op: u64,
        /// Who sends it: one after the other in a session.
        session: u64,
        /// When.
        at_us: u64,
        /// What is asked for.
        asked: Asked,
    },
    /// It was answered, or will not be.
    Done {
        /// Its number.
        op: u64,
        /// When.
        at_us: u64,
        /// What the answer tells.
        outcome: Outcome,
        /// The answer.
        answered: Answered,
    },
    /// A fault begins or is over.
    Nemesis {
        /// Whose.
        name: String,
        /// Which of both.
        phase: Phase,
        /// When.
        at_us: u64,
    },
    /// Something that should not be was seen beside all answers.
    Wrong {
        /// When.
        at_us: u64,
        /// What.
        what: String,
    },
    /// The workload and the faults are over; what follows resolves what is unknown.
    Over {
        /// When.
        at_us: u64,
    },
    /// What an unknown operation was found to be, asked for under its key.
    Resolved {
        /// Its number.
        op: u64,
        /// Whether it had been done before it was asked again.
        was_done: bool,
        /// What it made, by now.
        id: String,
        /// What asking once more answered; the same, if all is well.
        again: String,
    },
}

/// What is kept of an answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answered {
    /// The status; none without an answer.
    pub status: Option<u16>,
    /// How far into the log it has seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// The id of what was made, by this call or by an earlier one under its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What was read.
    #[serde(default, skip_serializing_if = "Seen::is_nothing")]
    pub seen: Seen,
    /// What is wrong with the answer itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub odd: Option<String>,
}

/// A history that is being written.
pub struct History {
    begun: Instant,
    file: Mutex<BufWriter<File>>,
    ops: AtomicU64,
    sessions: AtomicU64,
    /// Whether a line is missing.
    is_torn: AtomicBool,
    /// Told whenever an operation is sent: for those who aim.
    pub sent: Notify,
}

impl History {
    /// A new one in `folder`.
    pub fn create(folder: &Path) -> Result<Self> {
        let file = BufWriter::new(File::create(folder.join("history.jsonl"))?);
        let (ops, sessions, is_torn) = (AtomicU64::new(1), AtomicU64::new(1), AtomicBool::new(false));
        Ok(Self {
            begun: Instant::now(),
            file: Mutex::new(file),
            ops,
            sessions,
            is_torn,
            sent: Notify::new(),
        })
    }

    /// Microseconds since the run began.
    pub fn now_us(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// The number of a new session.
    pub fn session(&self) -> u64 {
        self.sessions.fetch_add(1, Ordering::Relaxed)
    }

    /// Notes that something is about to be asked for; answers the operation's number.
    pub fn invoke(&self, session: u64, asked: &Asked) -> u64 {
        let op = self.ops.fetch_add(1, Ordering::Relaxed);
        self.write(&Line::Invoke { op, session, at_us: self.now_us(), asked: asked.clone() });
        self.sent.notify_waiters();
        op
    }

    /// Notes what was answered.
    pub fn done(&self, op: u64, outcome: Outcome, answered: Answered) {
        self.write(&Line::Done { op, at_us: self.now_us(), outcome, answered });
    }

    /// Notes that a fault begins or is over.
    pub fn nemesis(&self, name: &str, phase: Phase) {
        self.write(&Line::Nemesis { name: name.to_owned(), phase, at_us: self.now_us() });
    }

    /// Notes something that should not be, for the checks to find.
    pub fn wrong(&self, what: String) {
        self.write(&Line::Wrong { at_us: self.now_us(), what });
    }

    /// Notes anything else.
    pub fn write(&self, line: &Line) {
        let Ok(mut file) = self.file.lock() else { return };
        let written = serde_json::to_writer(&mut *file, line).is_ok() && file.write_all(b"\n").is_ok();
        self.is_torn.fetch_or(!written, Ordering::Relaxed);
    }

    /// Brings everything to the disk; an error if something did not get there.
    pub fn sync(&self) -> Result<()> {
        if self.is_torn.load(Ordering::Relaxed) {
            return Err(failed("the history could not be written"));
        }
        if let Ok(mut file) = self.file.lock() {
            file.flush()?;
            file.get_ref().sync_all()?;
        }
        Ok(())
    }
}

/// Reads a history.
pub fn read(folder: &Path) -> Result<Vec<Line>> {
    let file = BufReader::new(File::open(folder.join("history.jsonl"))?);
    file.lines().map(|line| Ok(serde_json::from_str(&line?)?)).collect()
}
