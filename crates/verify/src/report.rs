//! Report of a verification: successful checks, findings, and everything that was not checked.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::{HOLDS, UNCHECKED, WRONG};

/// Maximum number of findings that are shown. The rest is only counted.
const MAX_FINDINGS_SHOWN: usize = 20;

/// Result of a verification.
#[derive(Debug, Default)]
pub(crate) struct Report {
    checked: Vec<String>,
    findings: Vec<Finding>,
    total: u64,
    open: Vec<String>,
    limits: Vec<String>,
    facts: Map<String, Value>,
}

/// An error, and the first place at which it occurs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Number of the commit.
    pub(crate) commit: Option<u64>,
    /// Position in the log.
    pub(crate) position: Option<u64>,
    /// Description of the error.
    pub(crate) what: String,
}

impl Report {
    /// Adds a check that succeeded.
    pub(crate) fn holds(&mut self, what: impl Into<String>) {
        self.checked.push(what.into());
    }

    /// Adds an error without a place.
    pub(crate) fn wrong(&mut self, what: impl Into<String>) {
        self.find(Finding { what: what.into(), ..Finding::default() });
    }

    /// Adds an error.
    pub(crate) fn find(&mut self, finding: Finding) {
        self.total += 1;
        if self.findings.len() < MAX_FINDINGS_SHOWN {
            self.findings.push(finding);
        }
    }

    /// Adds a check that was asked for and could not be made.
    pub(crate) fn open(&mut self, what: impl Into<String>) {
        self.open.push(what.into());
    }

    /// Adds a property that the command does not check.
    pub(crate) fn limit(&mut self, what: impl Into<String>) {
        self.limits.push(what.into());
    }

    /// Adds a value for programs.
    pub(crate) fn fact(&mut self, name: &str, value: impl Into<Value>) {
        self.facts.insert(name.to_owned(), value.into());
    }

    /// Returns the number of findings.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match (self.total, self.open.as_slice()) {
            (0, []) => HOLDS,
            (0, _) => UNCHECKED,
            _ => WRONG,
        }
    }

    fn result(&self) -> (&'static str, &'static str) {
        match self.exit_code() {
            HOLDS => ("holds", "Everything that was asked was checked and holds."),
            WRONG => ("wrong", "SOMETHING IS WRONG."),
            _ => (
                "unchecked",
                "Nothing is wrong as far as it was checked, but not everything could be checked.",
            ),
        }
    }

    /// Formats the report as text.
    pub(crate) fn to_text(&self) -> String {
        let findings: Vec<_> = self.findings.iter().map(Finding::to_text).collect();
        let mut text = String::new();
        for (head, lines) in [
            ("Wrong", &findings),
            ("Checked", &self.checked),
            ("Asked, and could not be checked", &self.open),
            ("Not checked", &self.limits),
        ] {
            if !lines.is_empty() {
                let _ = writeln!(
                    text,
                    "{head}:\n  - {}",
                    lines.iter().map(|line| on_one_line(line)).collect::<Vec<_>>().join("\n  - ")
                );
            }
        }
        if let more @ 1.. = self.total - self.findings.len() as u64 {
            let _ = writeln!(text, "And {more} more findings.");
        }
        text + self.result().1 + "\n"
    }

    /// Formats the report as JSON.
    pub(crate) fn to_json(&self) -> String {
        let finding = |it: &Finding| json!({"commit": it.commit, "position": it.position, "what": it.what});
        let value = json!({
            "result": self.result().0,
            "findings": self.findings.iter().map(finding).collect::<Vec<_>>(),
            "total": self.total,
            "checked": self.checked,
            "could_not_be_checked": self.open,
            "not_checked": self.limits,
            "facts": self.facts,
        });
        format!("{value}\n")
    }
}

/// Replaces control characters, so that text of an untrusted source cannot look like several lines.
pub(crate) fn on_one_line(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

impl Finding {
    fn to_text(&self) -> String {
        let Self { commit, position, what } = self;
        match (commit, position) {
            (Some(commit), Some(position)) => format!("commit {commit}, position {position}: {what}"),
            (Some(commit), None) => format!("commit {commit}: {what}"),
            (None, Some(position)) => format!("position {position}: {what}"),
            (None, None) => what.clone(),
        }
    }
}
