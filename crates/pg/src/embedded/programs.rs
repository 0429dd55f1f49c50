//! Execution of the server's programs: their folder, their account, and their output when they fail.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::account::Account;
use super::folder::failed;
use crate::Error;

/// The programs of one installed version, and the account that they run under.
#[derive(Clone, Debug)]
pub(super) struct Programs {
    pub(super) bin_dir: PathBuf,
    pub(super) account: Account,
}

impl Programs {
    /// Returns a command for one of the programs, without arguments.
    pub(super) fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.bin_dir.join(name));
        self.account.enter(&mut command);
        // A signal of the terminal is for this process, which ends the programs that it started in order.
        command.process_group(0);
        command
    }
}

/// Runs a command to its end.
pub(super) async fn run(command: Command) -> Result<(), Error> {
    try_run(command).await?.map_err(Error::Embedded)
}

/// Same as [`run`], but an error that the command itself reports is returned separately.
pub(super) async fn try_run(command: Command) -> Result<Result<(), String>, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = tokio::process::Command::from(command)
        .output()
        .await
        .map_err(|error| failed("run", Path::new(&program), &error))?;
    if output.status.success() {
        return Ok(Ok(()));
    }
    let said = [output.stdout, output.stderr].concat();
    Ok(Err(format!("{program} failed: {}", String::from_utf8_lossy(&said).trim())))
}
