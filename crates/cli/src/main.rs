//! `daybook`: the ledger that can be replayed.

use std::process::ExitCode;

use clap::Parser;
use daybook_cli::config::Cli;
use daybook_cli::{commands, telemetry};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// An error with everything below it that it does not say itself.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let cause_text = error.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        cause = error.source();
    }
    text
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    telemetry::start();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("daybook: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(commands::run(cli)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("daybook: {}", with_causes(&error));
            error.exit_code()
        }
    }
}
