//! Counts instructions: runs this program under valgrind, and reads the total from the profile.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::scenarios::Scenario;

/// Versions of the tools, and the program that is measured.
pub(crate) struct Callgrind {
    program: PathBuf,
    tools: String,
}

impl Callgrind {
    /// Finds valgrind, if it is installed.
    pub(crate) fn find() -> Option<Self> {
        let valgrind = version_of("valgrind")?;
        let rustc = version_of("rustc").unwrap_or_else(|| "an unknown rustc".to_owned());
        Some(Self { program: std::env::current_exe().ok()?, tools: format!("{rustc}, {valgrind}") })
    }

    /// Returns the versions of the tools, on which figures depend.
    pub(crate) fn tools(&self) -> &str {
        &self.tools
    }

    /// Returns the path of the profile of a scenario whose work is done `times` times.
    pub(crate) fn profile(&self, scenario: &str, times: &str) -> PathBuf {
        self.program.with_file_name(format!("callgrind.{scenario}.{times}"))
    }

    /// Returns the number of instructions of a scenario's work.
    pub(crate) fn count(&self, scenario: &Scenario) -> Result<u64, String> {
        eprintln!("counting {} …", scenario.name);
        // The runs are parallel: other load of the machine does not change the counts.
        let runs = [scenario.times, 2 * scenario.times].map(|times| self.start(scenario, &times.to_string()));
        let [once, twice] = runs.map(|run| run.and_then(Run::total));
        Ok(twice?.saturating_sub(once?) / scenario.times)
    }

    fn start(&self, scenario: &Scenario, times: &str) -> Result<Run, String> {
        let profile = self.profile(scenario.name, times);
        let valgrind = Command::new("valgrind")
            .args(["--tool=callgrind", "--quiet", &format!("--callgrind-out-file={}", profile.display())])
            .arg(&self.program)
            .args([scenario.name, times])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("valgrind: {error}"))?;
        Ok(Run { profile, valgrind })
    }
}

/// A run of the program under valgrind.
struct Run {
    profile: PathBuf,
    valgrind: Child,
}

impl Run {
    /// Waits for the end of the run, and returns its number of instructions.
    fn total(self) -> Result<u64, String> {
        let profile = self.profile.display();
        let ended = self.valgrind.wait_with_output().map_err(|error| format!("valgrind: {error}"))?;
        if !ended.status.success() {
            return Err(format!("{profile}: {}\n{}", ended.status, String::from_utf8_lossy(&ended.stderr)));
        }
        let text = fs::read_to_string(&self.profile).map_err(|error| format!("{profile}: {error}"))?;
        total_in(&text).ok_or_else(|| format!("{profile} has no total"))
    }
}

/// Returns the sum over all functions and threads, which is at the end of the profile.
fn total_in(profile: &str) -> Option<u64> {
    profile.lines().rev().find_map(|line| line.strip_prefix("totals: "))?.trim().parse().ok()
}

/// Returns the first line of a program's version; none if the program is not installed.
fn version_of(program: &str) -> Option<String> {
    let said = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8(said.stdout).ok()?;
    said.status.success().then(|| text.lines().next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_totals_line_is_the_total() {
        assert_eq!(total_in("events: Ir\nfn=(1) totals\n12 40\n\ntotals: 4711\n"), Some(4711));
        assert_eq!(total_in("events: Ir\nsummary: 4711\n"), None);
    }
}
