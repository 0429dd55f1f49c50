//! Verdict on a file: accepted, refused with the reason, or neither because the service failed.

use std::fmt::Write as _;

use daybook_domain::{Refusal, custody};
use daybook_engine::SubmitError;
use daybook_engine::ops::OpsError;
use daybook_engine::statements::{PlatformFile, Refused};

use super::candidates::Candidate;
use crate::with_causes;

/// Verdict on a file.
#[derive(Debug)]
pub(super) enum Verdict {
    /// The file was accepted, now or before.
    Accepted {
        /// True if every part of the file was accepted before.
        is_repeated: bool,
        /// One line for each platform and statement.
        lines: Vec<String>,
    },
    /// Nothing of the file was accepted.
    Refused {
        why: String,
        /// True if the file would be accepted after another one.
        may_follow: bool,
    },
    /// The file has some pages of a statement only: its name at the bank, and which pages are missing.
    Pages { of: String, why: String },
    /// The service cannot take files at the moment.
    Failed(String),
}

impl Verdict {
    /// Verdict by the result of the intake.
    pub(super) fn of(taken: Result<Vec<PlatformFile>, OpsError>) -> Self {
        let refused = |why: String, may_follow| Self::Refused { why, may_follow };
        match taken {
            Ok(parts) => Self::Accepted {
                is_repeated: !parts.is_empty() && parts.iter().all(|part| part.taken.is_repeated),
                lines: parts.iter().flat_map(lines).collect(),
            },
            Err(OpsError::File(error)) => refused(error.to_string(), false),
            Err(OpsError::Statement(error)) => match error {
                Refused::Pages { ref of, .. } => Self::Pages { of: of.clone(), why: error.to_string() },
                error => refused(error.to_string(), false),
            },
            Err(OpsError::Submit(SubmitError::Refused(refusal))) => {
                let may_follow = refusal == Refusal::Custody(custody::Refusal::Opening);
                refused(refusal.to_string(), may_follow)
            }
            Err(error) => Self::Failed(with_causes(&error)),
        }
    }

    /// Verdict on a file that is too large.
    pub(super) fn too_large() -> Self {
        Self::Refused { why: "the file has more than 64 MiB".to_owned(), may_follow: false }
    }

    /// Verdict on a file of returns.
    pub(super) fn returns() -> Self {
        let why = "this is a file of returns: import it by daybook ops returns".to_owned();
        Self::Refused { why, may_follow: false }
    }

    /// Outcome in the metrics.
    pub(super) const fn outcome(&self) -> &'static str {
        match self {
            Self::Accepted { is_repeated: true, .. } => "repeated",
            Self::Accepted { .. } => "accepted",
            Self::Refused { .. } => "refused",
            Self::Pages { .. } | Self::Failed(_) => "left",
        }
    }

    /// Text beside the file with this hash.
    pub(super) fn text(&self, hash: &str) -> String {
        let mut text = self.outcome().to_owned();
        if !hash.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\nSHA-256 {hash}");
        }
        match self {
            Self::Accepted { is_repeated, lines } => {
                if *is_repeated {
                    text.push_str("\nthe file was accepted before; nothing happened");
                }
                for line in lines {
                    text.extend(["\n", line]);
                }
            }
            Self::Refused { why, .. } | Self::Pages { why, .. } | Self::Failed(why) => {
                text.extend(["\n", why]);
            }
        }
        text.push('\n');
        text
    }

    /// Writes the verdict to the service's log, without the content of the file.
    pub(super) fn tell(&self, candidate: &Candidate) {
        let (file, outcome) = (&candidate.name, self.outcome());
        match self {
            Self::Accepted { lines, .. } => {
                tracing::info!(?file, outcome, parts = lines.len(), "a file of the bank was taken");
            }
            Self::Refused { .. } | Self::Pages { .. } | Self::Failed(_) => {
                tracing::warn!(?file, outcome, "a file of the bank was refused; the text beside it says why");
            }
        }
    }
}

/// Lines about a platform's part of a file.
fn lines(part: &PlatformFile) -> Vec<String> {
    let (platform, taken) = (&part.platform.client_id, &part.taken);
    let booked = taken.statements.iter().map(|view| {
        let of = &view.statement;
        let (currency, day, count) = (of.currency, of.day, of.lines);
        format!("{platform}: statement of {day} in {currency}, {count} lines")
    });
    let unbooked = taken.books.map(|why| format!("{platform}: nothing is booked, the lines are {why}"));
    booked.chain(unbooked).collect()
}

/// Returns true for a file of returns: a NACHA file header with records of 94 characters.
pub(super) fn is_returns(bytes: &[u8]) -> bool {
    bytes.len() >= 94 && bytes.starts_with(b"1") && bytes.get(34..37) == Some(b"094")
}
