//! What was checked, what is wrong, and what was not checked.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::{HOLDS, UNCHECKED, WRONG};

/// How many findings are told; the rest is counted.
const SHOWN: usize = 20;

/// The result of a check.
#[derive(Debug, Default)]
pub(crate) struct Report {
    checked: Vec<String>,
    findings: Vec<Finding>,
    total: u64,
    open: Vec<String>,
    limits: Vec<String>,
    facts: Map<String, Value>,
}

/// Something that is wrong, and the first place where it is.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The commit.
    pub(crate) commit: Option<u64>,
    /// The position.
    pub(crate) position: Option<u64>,
    /// What is wrong there.
    pub(crate) what: String,
}

impl Report {
    /// This was checked, and holds.
    pub(crate) fn holds(&mut self, what: impl Into<String>) {
        self.checked.push(what.into());
    }

    /// This is wrong.
    pub(crate) fn wrong(&mut self, what: impl Into<String>) {
        self.find(Finding { what: what.into(), ..Finding::default() });
    }

    /// This is wrong, there.
    pub(crate) fn find(&mut self, finding: Finding) {
        self.total += 1;
        if self.findings.len() < SHOWN {
            self.findings.push(finding);
        }
    }

    /// This was asked and could not be checked.
    pub(crate) fn open(&mut self, what: impl Into<String>) {
        self.open.push(what.into());
    }

    /// This is not checked by what was asked.
    pub(crate) fn limit(&mut self, what: impl Into<String>) {
        self.limits.push(what.into());
    }

    /// A figure, for programs.
    pub(crate) fn fact(&mut self, name: &str, value: impl Into<Value>) {
        self.facts.insert(name.to_owned(), value.into());
    }

    /// How many findings there are.
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

    /// For people.
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

    /// For programs.
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

/// A text that may be of those who are not trusted, so that it cannot pretend to be more than one line.
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
