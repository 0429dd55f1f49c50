//! `daybook-torture check DIR`: the checks again, from what a run left behind.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::check;
use crate::error::Result;

/// Options of `check`.
#[derive(Debug, Args)]
pub struct Options {
    /// The folder of a run: `--out` of `run`.
    folder: PathBuf,
}

/// Checks and tells.
pub fn run(options: &Options) -> Result<ExitCode> {
    let report = check::check(&options.folder)?;
    report.tell(&options.folder)?;
    Ok(report.exit_code())
}
