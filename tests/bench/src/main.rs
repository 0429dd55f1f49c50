//! `daybook-bench`: measures the service side by side with PostgreSQL alone.

use std::process::ExitCode;

use clap::Parser;
use daybook_bench::error::Error;
use daybook_bench::options::Bench;
use daybook_cli::telemetry;
use daybook_cli::{memory, with_causes};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let options = Bench::parse();
    memory::keep();
    telemetry::start(None);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("daybook-bench: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(daybook_bench::run(options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("daybook-bench: {}", with_causes(&error));
            if matches!(error, Error::Usage(_)) { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}
