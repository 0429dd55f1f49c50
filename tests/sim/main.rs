//! Simulation: random histories of the ledger against a second, naive model. `--seeds` is their number, `--seed` the
//! first one, `--steps` their length, `--shards` the number of shards. With `--faults` several processes execute each history, and faults strike them.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]
#![allow(clippy::panic, reason = "a simulation fails by panicking")]

mod auditor;
mod bank;
mod crowd;
mod desk;
mod faults;
mod history;
mod kept;
mod laws;
mod ledger;
mod matching;
mod processes;
mod records;
mod reports;
mod workload;

#[cfg(test)]
mod behind;
#[cfg(test)]
mod dry_run;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod year;

use std::process::ExitCode;

use daybook_log::Shard;
use history::Statistics;
use tokio::runtime::{Builder, Runtime};

/// Command-line arguments.
struct Arguments {
    seeds: u64,
    first: u64,
    steps: Option<u64>,
    shards: Shard,
    with_faults: bool,
    kept: Option<String>,
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(found) => found,
        Err(what) => {
            eprintln!(
                "{what}\nusage: sim [--faults] [--seeds N] [--seed FIRST] [--steps K] [--shards S] | sim --kept HISTORY"
            );
            return ExitCode::from(2);
        }
    };
    if let Some(kept) = &arguments.kept {
        return replay(kept);
    }
    let (first, seeds) = (arguments.first, arguments.seeds);
    if arguments.with_faults {
        let operations = arguments.steps.unwrap_or(faults::OPERATIONS);
        let live = |seed, seen: &mut Statistics| {
            let report = faults::live(&faults::Plan::of(seed, operations));
            if seeds == 1 {
                println!("seed {seed} is the run {:016x}", report.trace);
            }
            crowd::add(seen, report)
        };
        match crowd::live(first, seeds, live) {
            Ok(seen) => tell_faults(seeds, &seen),
            Err(seed) => tell_shrunk(&kept::Kept::shrunk_with_faults(seed, operations)),
        }
    } else {
        let steps: Vec<u64> = (0..arguments.steps.unwrap_or(history::STEPS)).collect();
        let shards = arguments.shards;
        let live = |seed, seen: &mut Statistics| {
            history::live(&runtime(), (seed, shards), &steps, false, seen).is_ok()
        };
        match crowd::live(first, seeds, live) {
            Ok(seen) => {
                crowd::tell(&seen);
                ExitCode::SUCCESS
            }
            Err(seed) => tell_shrunk(&kept::Kept::shrunk((seed, shards), &steps)),
        }
    }
}

/// Executes a stored history.
fn replay(text: &str) -> ExitCode {
    let Ok(kept) = text.parse::<kept::Kept>() else {
        eprintln!("not a history: {text}");
        return ExitCode::from(2);
    };
    match kept.live() {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            println!("{kept}: {what}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a shortened failure.
fn tell_shrunk((kept, what, trace): &(kept::Kept, String, Vec<String>)) -> ExitCode {
    for line in trace {
        println!("  {line}");
    }
    println!("{kept}: {what}");
    ExitCode::FAILURE
}

/// Prints the counts of faults and situations. A run of many seeds in which one of them never occurred proves nothing,
/// and fails.
fn tell_faults(seeds: u64, seen: &Statistics) -> ExitCode {
    crowd::tell(seen);
    let kinds = faults::Fault::ALL.map(|fault| format!("fault {fault:?}"));
    let met = faults::SOMETIMES.map(|what| format!("met: {what}"));
    let missed: Vec<_> = kinds.into_iter().chain(met).filter(|what| !seen.contains_key(what)).collect();
    if missed.is_empty() || seeds < faults::MANY_OPERATIONS {
        return ExitCode::SUCCESS;
    }
    println!("never happened: {missed:?}");
    ExitCode::FAILURE
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap_or_else(|error| panic!("{error}"))
}

fn arguments() -> Result<Arguments, String> {
    let mut found =
        Arguments { seeds: 10_000, first: 0, steps: None, shards: 1, with_faults: false, kept: None };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        if name == "--faults" {
            found.with_faults = true;
            continue;
        }
        let value = arguments.next().ok_or(format!("{name} needs a value"))?;
        let number = || value.parse().map_err(|_| format!("{name} needs a number, not {value}"));
        match name.as_str() {
            "--seeds" => found.seeds = number()?,
            "--seed" => found.first = number()?,
            "--steps" => found.steps = Some(number()?),
            "--shards" => {
                found.shards = value.parse().map_err(|_| format!("{name} needs a number, not {value}"))?;
            }
            "--kept" => found.kept = Some(value),
            _ => return Err(format!("unknown: {name}")),
        }
    }
    Ok(found)
}
