//! `daybook psql`: the embedded server, whose socket nobody needs to look for.

use std::ffi::OsString;
use std::path::Path;

use tokio::process::Command;

use crate::config::Psql;
use crate::database::Database;
use crate::error::Error;

/// Runs psql on the server of the data folder until it ends.
///
/// # Errors
///
/// [`Error::Usage`] if the server is somebody else's; [`Error::Program`] with the code of psql.
pub async fn run(options: Psql) -> Result<(), Error> {
    if options.database.database_url.is_some() {
        let text = "this is for the server of a data folder: psql itself takes what --database-url says";
        return Err(Error::Usage(text.into()));
    }
    let database = Database::open(&options.database).await?;
    let ended = match database.socket() {
        // Its end is awaited whatever signals come: it has its own ideas of them.
        Some((bin_dir, socket_dir)) => psql(bin_dir, &socket_dir, &options.args).await,
        None => Ok(()),
    };
    database.leave().await?;
    ended
}

async fn psql(bin_dir: &Path, socket_dir: &Path, args: &[OsString]) -> Result<(), Error> {
    let beside = bin_dir.join("psql");
    // Packages of servers do not always have it.
    let program = if beside.is_file() { beside } else { "psql".into() };
    let mut command = Command::new(program);
    command.arg("--host").arg(socket_dir).args(["--username", "daybook", "--dbname", "daybook"]).args(args);
    let status = command.status().await.map_err(|error| {
        Error::Usage(format!("psql cannot be run: {error}; it comes with PostgreSQL's packages of clients"))
    })?;
    if status.success() {
        return Ok(());
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Err(Error::Program { name: "psql", code })
}
