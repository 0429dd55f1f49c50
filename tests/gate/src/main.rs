//! The regression gate: what parts of the ledger cost, counted in instructions and held against stored figures.
//!
//! Seconds differ from run to run, and more from machine to machine; under valgrind's emulated processor the same
//! program executes the same instructions, give or take what random ids do to hash maps. Each scenario runs twice, the
//! second time with twice the work. The difference is what the work costs: start, preparation and end are in both.
//!
//! gungraun (formerly iai-callgrind) measures so, too. It needs a program of exactly its own version installed beside
//! it, minutes of building in each run of CI, and compares with the run before, which a clean checkout does not have.
//! What is needed of it is the total of one file.
//!
//! `gate` compares, `gate --bless` stores; `gate SCENARIO TIMES` is what runs under valgrind.
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

/// The stored figures.
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

/// Does a scenario's work so often.
fn run(name: &str, times: &str) -> Result<ExitCode, String> {
    let scenario = Scenario::ALL.iter().find(|scenario| scenario.name == name);
    let scenario = scenario.ok_or_else(|| format!("no scenario is called {name}"))?;
    let times: u64 = times.parse().map_err(|_| format!("not a number: {times}"))?;
    let mut work = (scenario.prepare)();
    (0..times).for_each(|_| work());
    Ok(ExitCode::SUCCESS)
}

/// Counts every scenario; compares with what is stored, or stores it.
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
        // Once in a while a figure is off by some percent; one that is so twice has a reason.
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

/// Says how what was counted compares with what is stored, and what can be done about it.
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
    eprintln!("A figure that shall stay, or is too old, is stored by: just gate --bless");
    ExitCode::FAILURE
}
