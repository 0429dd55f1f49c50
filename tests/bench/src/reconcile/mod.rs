//! `daybook-bench reconcile`: time and memory of reading a statement in BAI2 and of matching its lines with as many open
//! items, by rules of every strategy.
//!
//! Each run is a process of its own, which holds the file, the lines, the items and the matches in memory.

mod made;

use std::process::Command;
use std::time::Instant;

use daybook_domain::matching;
use daybook_engine::statements::Patterns;
use daybook_statement::{MAX_LINES, bai2};
use nix::unistd::Pid;

use crate::error::Error;
use crate::figures::{Spread, count};
use crate::load::client::failed;
use crate::options::Reconcile;
use crate::stage::cpu::peak_mib;

/// Figures of one run.
#[derive(Clone, Copy, Debug)]
struct Run {
    read_s: f64,
    match_s: f64,
    peak_mib: f64,
    matches: f64,
    suggestions: f64,
}

/// Measures every number of lines, and prints a row for each.
///
/// # Errors
///
/// Fails if a run fails, or two runs find other matches.
pub(crate) fn run(options: &Reconcile) -> Result<(), Error> {
    if let Some(lines) = options.alone {
        return alone(lines);
    }
    if options.runs == 0 || options.lines.iter().any(|lines| !(1..=MAX_LINES).contains(lines)) {
        return Err(Error::Usage(format!("at least one run, and 1 to {MAX_LINES} lines are needed")));
    }
    println!("| Lines and items | Reading, s | Matching, s | Peak memory | Matches | Suggestions |");
    println!("|--:|--:|--:|--:|--:|--:|");
    for lines in &options.lines {
        let runs = (0..options.runs).map(|_| spawn(*lines)).collect::<Result<Vec<_>, _>>()?;
        let median = |of: fn(&Run) -> f64| Spread::of(runs.iter().map(of)).median;
        let found = |run: &Run| (run.matches.to_bits(), run.suggestions.to_bits());
        if runs.iter().any(|run| found(run) != found(&runs[0])) {
            return Err(Error::Failed("two runs found other matches".to_owned()));
        }
        println!(
            "| {lines} | {:.3} | {:.3} | {:.0} MiB | {:.0} | {:.0} |",
            median(|run| run.read_s),
            median(|run| run.match_s),
            median(|run| run.peak_mib),
            runs[0].matches,
            runs[0].suggestions,
        );
    }
    Ok(())
}

/// Starts this program again for one run.
fn spawn(lines: usize) -> Result<Run, Error> {
    let lines = lines.to_string();
    let output = Command::new(std::env::current_exe()?).args(["reconcile", "--alone", &lines]).output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let figures: Vec<f64> = said.split_whitespace().filter_map(|figure| figure.parse().ok()).collect();
    match (output.status.success(), &figures[..]) {
        (true, &[read_s, match_s, peak_mib, matches, suggestions]) => {
            Ok(Run { read_s, match_s, peak_mib, matches, suggestions })
        }
        _ => Err(Error::Failed(String::from_utf8_lossy(&output.stderr).into_owned())),
    }
}

/// Reads and matches once, and prints the figures of this process.
fn alone(lines: usize) -> Result<(), Error> {
    let (file, items, files) = made::bank(lines);
    let rules = made::rules();
    let patterns = Patterns::compile(&rules).map_err(failed)?;
    let begun = Instant::now();
    let read = bai2::read(file.as_bytes()).map_err(failed)?;
    let read_s = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let stated = read.statements.iter().flat_map(|statement| &statement.lines);
    let lines = stated.zip(1..).map(|(line, id)| made::line(line, id, &patterns)).collect();
    let outcome = matching::run(&matching::Input { lines, items, files }, &rules);
    let match_s = begun.elapsed().as_secs_f64();
    let peak = peak_mib(Pid::this().as_raw()).ok_or_else(|| failed("the system does not tell the memory"))?;
    let (matches, suggestions) = (outcome.matches.len() as u64, outcome.suggestions.len() as u64);
    println!("{read_s} {match_s} {peak} {} {}", count(matches), count(suggestions));
    Ok(())
}
