//! Commands: one file for each subcommand.

pub mod client;
pub mod dev;
pub mod key;
pub mod ledger;
pub mod log;
pub mod migrate;
pub mod operator;
pub mod ops;
pub mod projection;
pub mod psql;
pub mod reconcile;
pub mod replay;
pub mod serve;
pub mod shard;
pub mod subject;
pub mod vault;
pub mod webhook;

use daybook_api::wire::text;

use crate::config::{Cli, Command};
use crate::error::Error;

/// Runs the command of the command line.
///
/// # Errors
///
/// [`Error`] with a text for the operator.
pub async fn run(cli: Cli) -> Result<(), Error> {
    match cli.command.unwrap_or(Command::Dev(cli.dev)) {
        Command::Dev(options) => Box::pin(dev::run(options)).await,
        Command::Serve(options) => Box::pin(serve::run(options)).await,
        Command::Shard(options) => Box::pin(shard::run(options)).await,
        Command::Migrate(options) => migrate::run(options).await,
        Command::Client(options) => client::run(options).await,
        Command::Operator(options) => operator::run(options).await,
        Command::Key(options) => key::run(options),
        Command::Ops(options) => Box::pin(ops::run(*options)).await,
        Command::Ledger(options) => Box::pin(ledger::run(options)).await,
        Command::Log(options) => Box::pin(log::run(options)).await,
        Command::Projection(options) => Box::pin(projection::run(*options)).await,
        Command::Reconcile(options) => Box::pin(reconcile::run(*options)).await,
        Command::Vault(command) => Box::pin(vault::run(command)).await,
        Command::Webhook(command) => Box::pin(webhook::run(command)).await,
        Command::Subject(options) => Box::pin(subject::run(*options)).await,
        Command::Psql(options) => Box::pin(psql::run(options)).await,
        Command::Replay(options) => Box::pin(replay::run(options)).await,
    }
}

/// Checks the name of a platform or an operator. The error text begins with `whose`.
fn check_name(whose: &str, name: &str) -> Result<(), Error> {
    let wrong = if name.trim().is_empty() { Err("must not be empty") } else { text::check_name(name) };
    wrong.map_err(|text| Error::Usage(format!("{whose}'s name {text}")))
}
