//! The program: parses the command line, runs the command and returns its exit code.

use std::process::ExitCode;

use crate::config::Command;
use crate::error::Error;
use crate::telemetry::{self, Traces};
use crate::{commands, config, fault, memory, stop, tell, with_causes};

/// Runs the command of this process to its end.
#[must_use]
pub fn run() -> ExitCode {
    let cli = config::read();
    memory::keep();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            tell!("daybook: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let is_service = cli.service().is_some();
    let is_insistent = !is_service && !matches!(cli.command, Some(Command::Psql(_)));
    let traces = cli.service().map(|options| Traces::new(&options.traces, runtime.handle()));
    let ended = traces.transpose().and_then(|traces| {
        let traces = traces.flatten();
        telemetry::start(traces.as_ref());
        fault::arm().map_err(Error::Usage)?;
        let ended = runtime.block_on(async {
            stop::listen(is_insistent)?;
            commands::run(cli).await
        });
        if let Some(traces) = traces {
            traces.end();
        }
        ended
    });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        // A service that is stopped while it starts ends like one that is stopped while it serves.
        Err(Error::Stopped) if is_service => ExitCode::SUCCESS,
        Err(error) => {
            if !error.is_unread() {
                tell!("daybook: {}", with_causes(&error));
            }
            error.exit_code()
        }
    }
}
