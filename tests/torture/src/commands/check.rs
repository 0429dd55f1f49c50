//! `daybook-torture check DIR`: repeats the checks on the files of a run.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::check;
use crate::error::Result;

/// Options of `check`.
#[derive(Debug, Args)]
pub struct Options {
    /// Folder of a run: `--out` of `run`.
    folder: PathBuf,
}

/// Checks the run and prints the report.
pub fn run(options: &Options) -> Result<ExitCode> {
    let report = check::check(&options.folder)?;
    report.tell(&options.folder)?;
    Ok(report.exit_code())
}
