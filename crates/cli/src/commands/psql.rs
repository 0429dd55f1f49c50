//! `daybook psql`: runs psql on the embedded server. The operator does not need to know its socket.

use std::ffi::OsString;
use std::path::Path;

use tokio::process::Command;

use crate::config::Psql;
use crate::database::Database;
use crate::error::Error;

/// Runs psql on the server of the data folder until psql ends.
///
/// # Errors
///
/// [`Error::Usage`] if the server is not the embedded one; [`Error::Program`] with the exit code of psql.
pub async fn run(options: Psql) -> Result<(), Error> {
    if options.database.database_url.is_some() {
        let text =
            "this command is for the server of a data folder: pass the URL of --database-url to psql itself";
        return Err(Error::Usage(text.into()));
    }
    let database = Database::open(&options.database).await?;
    let ended = match database.socket() {
        // Signals do not end this wait: psql handles them itself.
        Some((bin_dir, socket_dir)) => psql(bin_dir, &socket_dir, &options.args).await,
        None => Ok(()),
    };
    database.leave().await?;
    ended
}

async fn psql(bin_dir: &Path, socket_dir: &Path, args: &[OsString]) -> Result<(), Error> {
    let beside = bin_dir.join("psql");
    // Packages of the server do not always contain psql.
    let program = if beside.is_file() { beside } else { "psql".into() };
    let mut command = Command::new(program);
    command.arg("--host").arg(socket_dir).args(["--username", "daybook", "--dbname", "daybook"]).args(args);
    let status = command.status().await.map_err(|error| {
        Error::Usage(format!("psql cannot be run: {error}; it is part of the PostgreSQL client packages"))
    })?;
    if status.success() {
        return Ok(());
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Err(Error::Program { name: "psql", code })
}
