//! `daybook`: the ledger that can be replayed.

use std::process::ExitCode;

use clap::Parser;
use daybook_cli::config::Cli;
use daybook_cli::{commands, memory, telemetry, with_causes};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    telemetry::start();
    memory::keep();
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
