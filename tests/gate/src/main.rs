//! The regression gate: instruction counts of parts of the ledger, compared with stored figures.
//!
//! Times differ from run to run, and more from machine to machine. Under valgrind's emulated processor the same program
//! always executes the same instructions, except for the influence of random ids on hash maps. Each scenario runs
//! twice, the second time with twice the work. The difference is the cost of the work: start, preparation and end are
//! in both runs.
//!
//! gungraun (formerly iai-callgrind) measures in the same way. It needs an installed program of exactly its own
//! version, takes minutes to build in each CI run, and compares with the previous run, which a clean checkout does not
//! have. This gate needs only the total in one file.
//!
//! `gate` compares, `gate --bless` stores; `gate SCENARIO TIMES` is the command that runs under valgrind.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]
#![allow(clippy::expect_used, reason = "a scenario that cannot be prepared has no figure")]

mod callgrind;
mod figures;
mod history;
mod ledger;
mod scenarios;

use std::path::Path;
use std::process::ExitCode;

use callgrind::Callgrind;
use figures::{Figures, Verdict};
use scenarios::Scenario;

/// File with the stored figures.
const STORED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instructions.tsv");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        [] => gate(false),
        ["--bless"] => gate(true),
        [name, times] => run(name, times),
        _ => Err("usage: gate [--bless | SCENARIO TIMES]".into()),
    };
    done.unwrap_or_else(|what| {
        eprintln!("{what}");
        ExitCode::from(2)
    })
}

/// Does a scenario's work `times` times.
fn run(name: &str, times: &str) -> Result<ExitCode, String> {
    let scenario = Scenario::ALL.iter().find(|scenario| scenario.name == name);
    let scenario = scenario.ok_or_else(|| format!("no scenario is called {name}"))?;
    let times: u64 = times.parse().map_err(|_| format!("not a number: {times}"))?;
    let mut work = (scenario.prepare)();
    (0..times).for_each(|_| work());
    Ok(ExitCode::SUCCESS)
}

/// Counts every scenario, and compares with the stored figures or stores the counts.
fn gate(blesses: bool) -> Result<ExitCode, String> {
    let Some(callgrind) = Callgrind::find() else {
        eprintln!(
            "NOT CHECKED: there is no valgrind, so the regression gate is skipped (apt-get install valgrind)"
        );
        return Ok(ExitCode::SUCCESS);
    };
    let (path, tools) = (Path::new(STORED), callgrind.tools());
    let stored = if path.exists() { Figures::read(path)? } else { Figures::default() };
    let count = |scenario: &Scenario| {
        let first = callgrind.count(scenario)?;
        // Rarely a count is off by some percent. If the second count is off as well, there is a cause.
        let is_settled = blesses || stored.allow(scenario.name, first);
        Ok((scenario.name.to_owned(), if is_settled { first } else { callgrind.count(scenario)? }))
    };
    let counted = Scenario::ALL.iter().map(count).collect::<Result<Vec<_>, String>>()?;
    if blesses {
        stored.blessed(tools, &counted).write(path)?;
        println!("stored in {STORED}");
        return Ok(ExitCode::SUCCESS);
    }
    Ok(tell(&callgrind, &stored, &counted))
}

/// Prints the comparison, and advice if a figure is outside of its tolerance.
fn tell(callgrind: &Callgrind, stored: &Figures, counted: &[(String, u64)]) -> ExitCode {
    let (compared, tools) = (stored.compare(counted), callgrind.tools());
    print!("{}", figures::table(&compared));
    if compared.iter().all(|line| line.verdict == Verdict::Within) {
        return ExitCode::SUCCESS;
    }
    eprintln!("For callgrind_annotate: {}", callgrind.profile("SCENARIO", "TIMES").display());
    if stored.tools != tools {
        eprintln!("The figures were stored with {}; these were counted with {tools}.", stored.tools);
    }
    eprintln!("To accept the counted figures: just gate --bless");
    ExitCode::FAILURE
}
