//! `daybook-torture mutant NAME`: a negative control. Tortures a build with a known defect, which a check must notice,
//! or a build without one, which must be clean. `tests/torture/mutants.sh` makes the builds.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::run;
use crate::check::Report;
use crate::error::{Result, failed};

/// Options of `mutant`.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Name of the defect: the file name of its patch, or `none` for a binary without a defect.
    #[arg(value_parser = PossibleValuesParser::new(MUTANTS.map(|mutant| mutant.name)))]
    name: String,
    /// Path of the binary `daybook` with the defect, built with `--features failpoints`.
    #[arg(long)]
    binary: PathBuf,
    /// Duration of workload and faults, in seconds.
    #[arg(long, default_value_t = 6)]
    duration_s: u64,
    /// Seed of faults and operations.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for the files of the run.
    #[arg(long, default_value = "target/torture/mutants")]
    out: PathBuf,
}

/// A defect, the number of services and the faults that reveal it.
struct Mutant {
    name: &'static str,
    api: usize,
    nemesis: &'static [&'static str],
}

/// Name of the build without a defect.
const NONE: &str = "none";

/// All defects in `tests/torture/mutants`.
const MUTANTS: [Mutant; 11] = [
    Mutant { name: NONE, api: 1, nemesis: &["api-kill-aimed", "after-commit", "before-cursor"] },
    Mutant { name: "ack_before_commit", api: 1, nemesis: &["api-kill-aimed"] },
    Mutant { name: "key_outside", api: 1, nemesis: &["after-commit"] },
    Mutant { name: "cursor_before_rows", api: 1, nemesis: &["after-cursor"] },
    Mutant { name: "skipped_commit", api: 1, nemesis: &[] },
    Mutant { name: "lost_leg", api: 1, nemesis: &[] },
    Mutant { name: "page_of_two_moments", api: 1, nemesis: &[] },
    Mutant { name: "float_amount", api: 1, nemesis: &[] },
    Mutant { name: "no_fence_in_commit", api: 1, nemesis: &["lost-tail"] },
    // One of two services is paused, so that the read models do not advance while the other one answers.
    Mutant { name: "stale_read", api: 2, nemesis: &["pause"] },
    // The operators sit at different services, and each of them books.
    Mutant { name: "lines_twice", api: 2, nemesis: &[] },
];

/// Tortures the binary, and prints the checks that noticed the defect.
pub async fn run(options: Options) -> Result<ExitCode> {
    let mutant = MUTANTS.iter().find(|mutant| mutant.name == options.name);
    let mutant = mutant.ok_or_else(|| failed("there is no such defect"))?;
    let report = run::once(&options.of(mutant)?).await?;
    let noticed = noticed_by(&report);
    let is_right = (mutant.name == NONE) == noticed.is_empty();
    let verdict = match (is_right, noticed.is_empty()) {
        (true, true) => "clean".to_owned(),
        (true, false) => format!("noticed by {}", noticed.join(", ")),
        (false, true) => "NOT NOTICED".to_owned(),
        (false, false) => format!("NOT CLEAN: {}", noticed.join(", ")),
    };
    println!("mutant {}: {verdict}", mutant.name);
    Ok(if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn noticed_by(report: &Report) -> Vec<&str> {
    report.failures().map(|check| check.id.as_str()).collect()
}

impl Options {
    /// Returns the options of a short run with the faults of this defect.
    fn of(&self, mutant: &Mutant) -> Result<run::Options> {
        let mut run = run::Options::of(&self.binary).ok_or_else(|| failed("the binary has no path"))?;
        run.duration_s = Some(self.duration_s);
        run.interval_ms = 400;
        run.past = 0;
        run.seed = self.seed;
        run.out = self.out.join(mutant.name);
        run.api = mutant.api;
        run.nemesis = mutant.nemesis.iter().map(|name| (*name).to_owned()).collect();
        Ok(run)
    }
}
