//! `daybook-bench statements`: time and memory of reading one statement, as BAI2, CAMT.053, MT940 and CSV.
//!
//! Times are those of the reader alone, with the file in memory. The memory is that of a process of its own for each row,
//! which reads the file once: what a reader takes depends neither on the generator nor on the rows before.

mod format;
mod memory;
pub(crate) mod model;

use std::fs;
use std::time::Instant;

use daybook_statement::MAX_LINES;

use self::format::Format;
use self::memory::Memory;
use crate::error::Error;
use crate::figures::{Spread, count};
use crate::options::Statements;

/// Bytes of a MiB.
const MIB: f64 = 1_048_576.0;

/// Measures every format with every number of lines, and prints a row for each.
///
/// # Errors
///
/// Fails if a file is not read, or has another number of lines.
pub(crate) fn run(options: &Statements) -> Result<(), Error> {
    if let Some(file) = &options.file {
        return Memory::tell(file);
    }
    if options.runs == 0 || options.lines.iter().any(|lines| !(1..=MAX_LINES).contains(lines)) {
        return Err(Error::Usage(format!("at least one run, and 1 to {MAX_LINES} lines are needed")));
    }
    let folder = tempfile::tempdir()?;
    println!(
        "| Format | Lines | File | Seconds, median of {} | Lines/s | Peak memory | of it by reading |",
        options.runs
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for format in Format::ALL {
        for lines in &options.lines {
            let file = folder.path().join(format.name());
            fs::write(&file, format.render(model::statement(*lines)))?;
            let seconds = time(format, &fs::read(&file)?, *lines, options.runs)?;
            tell(format, *lines, fs::metadata(&file)?.len(), seconds, &Memory::of(&file)?);
        }
    }
    Ok(())
}

/// Returns the median of several runs, in seconds.
fn time(format: Format, bytes: &[u8], lines: usize, runs: usize) -> Result<f64, Error> {
    let mut seconds = vec![];
    for _ in 0..runs {
        let begun = Instant::now();
        let read = format.read(bytes)?;
        seconds.push(begun.elapsed().as_secs_f64());
        let found: usize = read.statements.iter().map(|statement| statement.lines.len()).sum();
        if found != lines {
            return Err(Error::Failed(format!("{}: {found} lines instead of {lines}", format.name())));
        }
    }
    Ok(Spread::of(seconds.into_iter()).median)
}

fn tell(format: Format, lines: usize, bytes: u64, seconds: f64, memory: &Memory) {
    let Memory { before_mib, peak_mib } = memory;
    println!(
        "| {} | {lines} | {:.2} MiB | {seconds:.4} | {:.0} | {peak_mib:.1} MiB | {:.1} MiB |",
        format.name(),
        count(bytes) / MIB,
        count(lines as u64) / seconds,
        (peak_mib - before_mib).max(0.0),
    );
}
