//! `daybook-torture mutant NAME`: a negative control. A check that never failed proves nothing, so builds with a defect are
//! tortured, and each has to be noticed; and one without, where nothing may be. `tests/torture/mutants.sh` makes them.

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
    /// The defect, as its patch is called; `none` for a binary without one.
    #[arg(value_parser = PossibleValuesParser::new(MUTANTS.map(|mutant| mutant.name)))]
    name: String,
    /// The binary `daybook` that has it, built with `--features failpoints`.
    #[arg(long)]
    binary: PathBuf,
    /// How long it is tortured.
    #[arg(long, default_value_t = 6)]
    duration_s: u64,
    /// What everything follows from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for what the run leaves.
    #[arg(long, default_value = "target/torture/mutants")]
    out: PathBuf,
}

/// A defect, and the faults that bring it to light.
struct Mutant {
    name: &'static str,
    nemesis: &'static [&'static str],
}

/// Without a defect.
const NONE: &str = "none";

/// Every defect in `tests/torture/mutants`.
const MUTANTS: [Mutant; 10] = [
    Mutant { name: NONE, nemesis: &["api-kill-aimed", "after-commit", "before-cursor"] },
    Mutant { name: "ack_before_commit", nemesis: &["api-kill-aimed"] },
    Mutant { name: "key_outside", nemesis: &["after-commit"] },
    Mutant { name: "cursor_before_rows", nemesis: &["after-cursor"] },
    Mutant { name: "skipped_commit", nemesis: &[] },
    Mutant { name: "lost_leg", nemesis: &[] },
    Mutant { name: "page_of_two_moments", nemesis: &[] },
    Mutant { name: "float_amount", nemesis: &[] },
    Mutant { name: "no_fence_in_commit", nemesis: &["lost-tail"] },
    // One of two services stands still, and keeps the read models where they are while the other one answers.
    Mutant { name: "stale_read", nemesis: &["pause"] },
];

/// Tortures the binary, and says which check noticed the defect.
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
    /// A short run with one defect.
    fn of(&self, mutant: &Mutant) -> Result<run::Options> {
        let mut run = run::Options::of(&self.binary).ok_or_else(|| failed("the binary has no path"))?;
        run.duration_s = Some(self.duration_s);
        run.interval_ms = 400;
        run.past = 0;
        run.seed = self.seed;
        run.out = self.out.join(mutant.name);
        run.api = if mutant.nemesis.contains(&"pause") { 2 } else { 1 };
        run.nemesis = mutant.nemesis.iter().map(|name| (*name).to_owned()).collect();
        Ok(run)
    }
}
