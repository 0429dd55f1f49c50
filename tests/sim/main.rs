//! Simulation: random histories of the ledger against a second, naive model of it. `--seeds` how many, `--seed` the
//! first, `--steps` how long.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]
#![allow(clippy::panic, reason = "a simulation fails by panicking")]

mod auditor;
mod bank;
mod faults;
mod history;
mod laws;
mod ledger;
mod processes;
mod random;
mod workload;

#[cfg(test)]
mod dry_run;
#[cfg(test)]
mod tests;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use history::{Failure, Statistics, live, shrink};
use tokio::runtime::{Builder, Runtime};

fn main() -> ExitCode {
    let (seeds, first, steps) = match arguments() {
        Ok(found) => found,
        Err(what) => {
            eprintln!("{what}\nusage: sim [--seeds N] [--seed FIRST] [--steps K]");
            return ExitCode::from(2);
        }
    };
    let steps: Vec<u64> = (0..steps).collect();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (next, is_over) = (AtomicU64::new(first), AtomicBool::new(false));
    let (failed, seen) = (Mutex::new(None), Mutex::new(Statistics::new()));
    let begin = Instant::now();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let runtime = runtime();
                let mut own = Statistics::new();
                while !is_over.load(Ordering::Relaxed) {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first.saturating_add(seeds) {
                        break;
                    }
                    if let Err(failure) = live(&runtime, seed, &steps, false, &mut own) {
                        is_over.store(true, Ordering::Relaxed);
                        failed.lock().map(|mut failed| *failed = Some(failure)).unwrap_or_default();
                    }
                }
                if let Ok(mut seen) = seen.lock() {
                    for (what, count) in own {
                        *seen.entry(what).or_default() += count;
                    }
                }
            });
        }
        scope.spawn(|| {
            let mut told = Instant::now();
            while !is_over.load(Ordering::Relaxed) && next.load(Ordering::Relaxed) < first + seeds {
                thread::sleep(Duration::from_millis(100));
                if told.elapsed() >= Duration::from_secs(10) {
                    told = Instant::now();
                    progress(next.load(Ordering::Relaxed) - first, begin);
                }
            }
        });
    });
    let failure: Option<Box<Failure>> = failed.into_inner().unwrap_or_default();
    if let Some(failure) = failure {
        return tell(*failure);
    }
    for (what, count) in seen.into_inner().unwrap_or_default() {
        println!("{count:>12}  {what}");
    }
    progress(seeds, begin);
    ExitCode::SUCCESS
}

fn tell(failure: Failure) -> ExitCode {
    println!("seed {} fails: {}\nmaking it shorter …", failure.seed, failure.what);
    let failure = shrink(&runtime(), failure);
    failure.trace.iter().for_each(|line| println!("  {line}"));
    println!("seed {}, steps {:?}: {}", failure.seed, failure.steps, failure.what);
    ExitCode::FAILURE
}

fn progress(seeds: u64, begin: Instant) {
    let ms = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX).max(1);
    println!("{seeds} histories in {} s, {} per second", ms / 1000, seeds * 1000 / ms);
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap_or_else(|error| panic!("{error}"))
}

fn arguments() -> Result<(u64, u64, u64), String> {
    let (mut seeds, mut first, mut steps) = (10_000, 0, history::STEPS);
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or(format!("{name} needs a number"))?;
        let value = value.parse().map_err(|_| format!("{name} needs a number, not {value}"))?;
        match name.as_str() {
            "--seeds" => seeds = value,
            "--seed" => first = value,
            "--steps" => steps = value,
            _ => return Err(format!("unknown: {name}")),
        }
    }
    Ok((seeds, first, steps))
}
