//! `daybook-torture mutants`: negative controls. A check that never failed proves nothing, so a build with the feature
//! `mutants` is run once for each of its defects, and each has to be noticed; and once without, where nothing may be.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::run;
use crate::check::Report;
use crate::error::{Result, failed};

/// Options of `mutants`.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// The binary `daybook`, built with `--features failpoints,mutants`.
    #[arg(long)]
    binary: PathBuf,
    /// Only these, and not the run without a defect.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// How long each is tortured.
    #[arg(long, default_value_t = 6)]
    duration_s: u64,
    /// What everything follows from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for what the runs leave.
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

/// Every defect of `daybook_fault`.
const MUTANTS: [Mutant; 9] = [
    Mutant { name: NONE, nemesis: &["api-kill-aimed", "after-commit", "before-cursor"] },
    Mutant { name: "ack_before_commit", nemesis: &["api-kill-aimed"] },
    Mutant { name: "key_outside", nemesis: &["after-commit"] },
    Mutant { name: "cursor_before_rows", nemesis: &["after-cursor"] },
    Mutant { name: "skipped_commit", nemesis: &[] },
    Mutant { name: "lost_leg", nemesis: &[] },
    Mutant { name: "page_of_two_moments", nemesis: &[] },
    Mutant { name: "float_amount", nemesis: &[] },
    // One of two services stands still, and keeps the read models where they are while the other one answers.
    Mutant { name: "stale_read", nemesis: &["pause"] },
];

/// Runs each, and says which check noticed it.
pub async fn run(options: Options) -> Result<ExitCode> {
    let mut has_failed = false;
    for mutant in MUTANTS.iter().filter(|mutant| options.is_meant(mutant.name)) {
        let report = run::once(&options.of(mutant)?).await?;
        let noticed = noticed_by(&report);
        let is_right = (mutant.name == NONE) == noticed.is_empty();
        has_failed |= !is_right;
        let verdict = match (is_right, noticed.is_empty()) {
            (true, true) => "clean".to_owned(),
            (true, false) => format!("noticed by {}", noticed.join(", ")),
            (false, true) => "NOT NOTICED".to_owned(),
            (false, false) => format!("NOT CLEAN: {}", noticed.join(", ")),
        };
        println!("mutant {}: {verdict}", mutant.name);
    }
    Ok(if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn noticed_by(report: &Report) -> Vec<&str> {
    report.failures().map(|check| check.id.as_str()).collect()
}

impl Options {
    fn is_meant(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }

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
        if mutant.name != NONE {
            run.env.push(format!("DAYBOOK_MUTANT={}", mutant.name));
        }
        Ok(run)
    }
}
