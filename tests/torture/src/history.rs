//! Recorded operations, answers and faults in the order of time: `history.jsonl`.
//!
//! An operation without an answer, or with an answer that does not tell the outcome (503), is `info`: it may have been
//! executed. Its session ends with it, and its worker continues in a new session (Jepsen's rule).

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

/// Outcome of an operation, as far as its answer tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The operation was executed, by this call or earlier under its key.
    Ok,
    /// The operation was refused.
    Fail,
    /// The outcome is unknown.
    Info,
}

/// Phase of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The fault begins.
    Begin,
    /// The fault is over.
    End,
}

/// A line of the history. Times are microseconds since the beginning of the run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum Line {
    /// An operation is sent.
    Invoke {
        /// Number of the operation.
        op: u64,
        /// Session of the operation. Operations of a session follow one another.
        session: u64,
        /// Time of sending.
        at_us: u64,
        /// Requested operation.
        asked: Asked,
    },
    /// The operation was answered, or its answer was given up.
    Done {
        /// Number of the operation.
        op: u64,
        /// Time of the answer.
        at_us: u64,
        /// Outcome as the answer tells it.
        outcome: Outcome,
        /// Recorded parts of the answer.
        answered: Answered,
    },
    /// A fault begins or is over.
    Nemesis {
        /// Name of the fault.
        name: String,
        /// Phase of the fault.
        phase: Phase,
        /// Time of the phase.
        at_us: u64,
    },
    /// A violation was seen outside of all answers.
    Wrong {
        /// Time of the observation.
        at_us: u64,
        /// Description.
        what: String,
    },
    /// Workload and faults are over. The lines that follow resolve unknown operations.
    Over {
        /// Time of the end.
        at_us: u64,
    },
    /// The outcome of an unknown operation, found by a repetition under its key.
    Resolved {
        /// Number of the operation.
        op: u64,
        /// True if the operation had been executed before the repetition.
        was_done: bool,
        /// Id of the transaction.
        id: String,
        /// Id that a second repetition returned; equal to `id` unless a guarantee is violated.
        again: String,
    },
}

/// Recorded parts of an answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answered {
    /// HTTP status; none without an answer.
    pub status: Option<u16>,
    /// Log position that the answer states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// Id of the created object, by this call or by an earlier one under its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Data that was read.
    #[serde(default, skip_serializing_if = "Seen::is_nothing")]
    pub seen: Seen,
    /// Code of a refusal that is no violation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Violation in the answer itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub odd: Option<String>,
}

/// Writer of a history.
pub struct History {
    begun: Instant,
    file: Mutex<BufWriter<File>>,
    ops: AtomicU64,
    sessions: AtomicU64,
    /// True if a line could not be written.
    is_torn: AtomicBool,
    /// Notified whenever an operation is sent, for faults that are aimed at an operation.
    pub sent: Notify,
}

impl History {
    /// Creates the file in `folder`.
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

    /// Returns the microseconds since the beginning of the run.
    pub fn now_us(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// Returns the number of a new session.
    pub fn session(&self) -> u64 {
        self.sessions.fetch_add(1, Ordering::Relaxed)
    }

    /// Records that an operation is about to be sent. Returns the number of the operation.
    pub fn invoke(&self, session: u64, asked: &Asked) -> u64 {
        let op = self.ops.fetch_add(1, Ordering::Relaxed);
        self.write(&Line::Invoke { op, session, at_us: self.now_us(), asked: asked.clone() });
        self.sent.notify_waiters();
        op
    }

    /// Records an answer.
    pub fn done(&self, op: u64, outcome: Outcome, answered: Answered) {
        self.write(&Line::Done { op, at_us: self.now_us(), outcome, answered });
    }

    /// Records the beginning or the end of a fault.
    pub fn nemesis(&self, name: &str, phase: Phase) {
        self.write(&Line::Nemesis { name: name.to_owned(), phase, at_us: self.now_us() });
    }

    /// Records a violation, which a check reports.
    pub fn wrong(&self, what: String) {
        self.write(&Line::Wrong { at_us: self.now_us(), what });
    }

    /// Writes any other line.
    pub fn write(&self, line: &Line) {
        let Ok(mut file) = self.file.lock() else { return };
        let written = serde_json::to_writer(&mut *file, line).is_ok() && file.write_all(b"\n").is_ok();
        self.is_torn.fetch_or(!written, Ordering::Relaxed);
    }

    /// Writes all lines to the disk. Returns an error if a line could not be written.
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

/// Reads the history of a run.
pub fn read(folder: &Path) -> Result<Vec<Line>> {
    let file = BufReader::new(File::open(folder.join("history.jsonl"))?);
    file.lines().map(|line| Ok(serde_json::from_str(&line?)?)).collect()
}
