//! `daybook`: the ledger that can be replayed.

use std::process::ExitCode;

use clap::Parser;
use daybook_cli::config::Cli;
use daybook_cli::error::Error;
use daybook_cli::telemetry::{self, Traces};
use daybook_cli::{commands, fault, memory, with_causes};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    memory::keep();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("daybook: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let traces = cli.service().map(|options| Traces::new(&options.traces, runtime.handle()));
    let ended = traces.transpose().and_then(|traces| {
        let traces = traces.flatten();
        telemetry::start(traces.as_ref());
        fault::arm().map_err(Error::Usage)?;
        let ended = runtime.block_on(commands::run(cli));
        if let Some(traces) = traces {
            traces.end();
        }
        ended
    });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("daybook: {}", with_causes(&error));
            error.exit_code()
        }
    }
}
