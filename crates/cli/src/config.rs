//! Command line and environment: every option that says how to serve is also a variable `DAYBOOK_…`.

mod anchor;
mod bank;
mod client;
mod cut_off;
mod database_url;
mod entrance;
mod help;
mod key;
mod ledger;
mod log;
mod ops;
mod projection;
mod reconcile;
mod replay;
mod state_cache;
mod subject;
mod traces;
mod vault;
mod webhook;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

pub use anchor::{Anchors, Place};
pub use bank::Bank;
use clap::{ArgAction, Args, Parser, Subcommand};
pub use client::Client;
use cut_off::parse_time_zone;
pub use cut_off::{CutOffTime, UTC};
pub use database_url::DatabaseUrl;
use daybook_api::wire::moment;
use daybook_domain::Timestamp;
use daybook_engine::Settings;
use daybook_projector::Moment;
pub use entrance::Entrance;
pub use help::{command, read};
pub use key::Key;
pub use ledger::{Extent, Format, Ledger, Report};
pub use log::{Log, Tail, Trusted};
pub use ops::{Desk, Ops};
pub use projection::{Diff, One, Projection, Rebuild};
pub use reconcile::{Reconcile, Reconciliation};
pub use replay::{Record, Replay};
pub use state_cache::StateCache;
pub use subject::{Hold, Reason, Subject};
pub use traces::Traces;
pub use vault::Vault;
pub use webhook::Webhook;

/// What `daybook --help` begins with.
const ABOUT: &str = "A ledger that can be replayed: accounts and payments over HTTP, on PostgreSQL";

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "daybook", bin_name = "daybook", version, about = ABOUT, after_help = help::ROOT, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do; without it, `dev`.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of `dev`.
    #[command(flatten)]
    pub dev: Dev,
}

impl Cli {
    /// How the service answers, if it is to serve.
    #[must_use]
    pub fn service(&self) -> Option<&Service> {
        match &self.command {
            None => Some(&self.dev.service),
            Some(Command::Dev(dev)) => Some(&dev.service),
            Some(Command::Serve(serve)) => Some(&serve.service),
            Some(_) => None,
        }
    }
}

/// What `daybook` can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve a sandbox on an embedded PostgreSQL: fixed credentials, loopback only.
    #[command(after_help = help::DEV)]
    Dev(Dev),
    /// Serve on a PostgreSQL that is there already, without a sandbox platform.
    #[command(after_help = help::SERVE)]
    Serve(Serve),
    /// Bring the schema of the database up to date, and stop.
    #[command(after_help = help::MIGRATE)]
    Migrate(Migrate),
    /// Manage platforms.
    #[command(subcommand, after_help = help::CLIENT)]
    Client(Client),
    /// Manage operators: the persons who run the ledger.
    #[command(subcommand, after_help = help::OPERATOR)]
    Operator(Operator),
    /// Make the key that signs the log, and show its public half.
    #[command(subcommand, after_help = help::KEY)]
    Key(Key),
    /// Do an operator's work: queued transactions, operations, files, returns, statements.
    #[command(subcommand, after_help = help::OPS)]
    Ops(Box<Ops>),
    /// Read the ledger as a whole: trial balance, custody, export.
    #[command(subcommand, after_help = help::LEDGER)]
    Ledger(Ledger),
    /// Look at the log itself: show, count, copy, verify.
    #[command(subcommand, after_help = help::LOG)]
    Log(Log),
    /// Rebuild read models beside those that are read, compare and switch.
    #[command(subcommand, after_help = help::PROJECTION)]
    Projection(Box<Projection>),
    /// Prove that what is served is what the log says.
    #[command(subcommand, after_help = help::RECONCILE)]
    Reconcile(Box<Reconcile>),
    /// Look after the keys of personal data.
    #[command(subcommand, after_help = help::VAULT)]
    Vault(Vault),
    /// Have those who subscribed told again.
    #[command(subcommand, after_help = help::WEBHOOK)]
    Webhook(Webhook),
    /// Export, keep and erase what is about a person.
    #[command(subcommand, after_help = help::SUBJECT)]
    Subject(Box<Subject>),
    /// Look into the database of a data folder with psql, as its owner, which may change anything; the server runs meanwhile.
    #[command(after_help = help::PSQL)]
    Psql(Psql),
    /// Show what a record was at any moment, and the events that made it, from the log alone.
    #[command(after_help = help::REPLAY)]
    Replay(Replay),
}

/// Options of `dev`.
#[derive(Clone, Debug, Args)]
pub struct Dev {
    /// Where the database is.
    #[command(flatten)]
    pub database: Database,
    /// How the service answers.
    #[command(flatten)]
    pub service: Service,
}

/// Options of `serve`.
#[derive(Clone, Debug, Args)]
pub struct Serve {
    /// PostgreSQL to use, as psql takes it.
    #[arg(long, help_heading = "Database", env = "DAYBOOK_DATABASE_URL", hide_env_values = true)]
    pub database_url: DatabaseUrl,
    /// How long a database that is still coming up is waited for: 60s, 5m.
    #[arg(long, help_heading = "Database", env = "DAYBOOK_DATABASE_WAIT", default_value = "60s", value_parser = parse_duration)]
    pub database_wait: Duration,
    /// File with the 32 bytes that personal data is sealed under.
    #[arg(long, help_heading = "Keys", env = "DAYBOOK_MASTER_KEY")]
    pub master_key: PathBuf,
    /// Further master keys that keys may be wrapped under, while the master key is changed; separated by commas.
    #[arg(long, help_heading = "Keys", env = "DAYBOOK_OTHER_MASTER_KEY", value_delimiter = ',')]
    pub other_master_key: Vec<PathBuf>,
    /// File with the key that signs the log, as `daybook key create` makes it; by default signing.key beside the master
    /// key.
    #[arg(long, help_heading = "Keys", env = "DAYBOOK_SIGNING_KEY")]
    pub signing_key: Option<PathBuf>,
    /// Keys that signed before: with a secret key checkpoints are signed, too; separated by commas.
    #[arg(long, help_heading = "Keys", env = "DAYBOOK_FORMER_SIGNING_KEY", value_delimiter = ',')]
    pub former_signing_key: Vec<PathBuf>,
    /// Serve a database of `dev`, too, though everybody knows its credentials.
    #[arg(long, help_heading = "Database", env = "DAYBOOK_ALLOW_DEV_CREDENTIALS")]
    pub allow_dev_credentials: bool,
    /// Whether every connection must have just the rights of its role: no, where nobody may make roles.
    #[arg(long, help_heading = "Database", env = "DAYBOOK_STRICT_ROLES", default_value_t = true, action = ArgAction::Set, value_name = "BOOL")]
    pub strict_roles: bool,
    /// How the service answers.
    #[command(flatten)]
    pub service: Service,
    /// The bank that keeps the money.
    #[command(flatten)]
    pub bank: Bank,
}

/// Options of `migrate`.
#[derive(Clone, Debug, Args)]
pub struct Migrate {
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
    /// Where the database is.
    #[command(flatten)]
    pub database: Database,
}

/// Options of `psql`.
#[derive(Clone, Debug, Args)]
pub struct Psql {
    /// What psql is to do, as it takes it: `-c 'select …'`.
    #[arg(last = true, value_name = "PSQL OPTIONS")]
    pub args: Vec<OsString>,
    /// Where the database is.
    #[command(flatten)]
    pub database: Database,
}

/// Where the database is, and the keys of what is in it.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Database")]
pub struct Database {
    /// PostgreSQL to use instead of the embedded one, as psql takes it.
    #[arg(long, env = "DAYBOOK_DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<DatabaseUrl>,
    /// Folder of the embedded PostgreSQL and of the keys.
    #[arg(long, env = "DAYBOOK_DATA_DIR", default_value = ".daybook")]
    pub data_dir: PathBuf,
    /// Folder with PostgreSQL's server binaries; searched for if not given.
    #[arg(long, env = "DAYBOOK_PG_BIN")]
    pub pg_bin: Option<PathBuf>,
    /// File with the 32 bytes that personal data is sealed under; by default master.key in the data folder.
    #[arg(long, help_heading = "Keys", env = "DAYBOOK_MASTER_KEY")]
    pub master_key: Option<PathBuf>,
    /// Further master keys that keys may be wrapped under, while the master key is changed; separated by commas.
    #[arg(long, help_heading = "Keys", env = "DAYBOOK_OTHER_MASTER_KEY", value_delimiter = ',')]
    pub other_master_key: Vec<PathBuf>,
    /// File with the key that signs the log; by default signing.key beside the master key.
    #[arg(long, help_heading = "Keys", env = "DAYBOOK_SIGNING_KEY")]
    pub signing_key: Option<PathBuf>,
    /// Keys that signed before: with a secret key checkpoints are signed, too; separated by commas.
    #[arg(long, help_heading = "Keys", env = "DAYBOOK_FORMER_SIGNING_KEY", value_delimiter = ',')]
    pub former_signing_key: Vec<PathBuf>,
}

/// How the service answers.
#[derive(Clone, Debug, Args)]
pub struct Service {
    /// Address to listen on.
    #[arg(long, env = "DAYBOOK_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Address that clients reach the service by, for links in answers; by default the listen address.
    #[arg(long, env = "DAYBOOK_PUBLIC_URL")]
    pub public_url: Option<String>,
    /// How long a transaction takes from creation to settlement: 3s, 15m, 1h.
    #[arg(long, env = "DAYBOOK_SETTLE_AFTER", default_value = "15m", value_parser = parse_duration)]
    pub settle_after: Duration,
    /// How much the writer remembers.
    #[command(flatten)]
    pub cache: StateCache,
    /// How it is entered.
    #[command(flatten)]
    pub entrance: Entrance,
    /// Address to show metrics at, by default 127.0.0.1:9464 if that is free; never that of the service.
    #[arg(long, help_heading = "Watching", env = "DAYBOOK_METRICS_LISTEN")]
    pub metrics_listen: Option<SocketAddr>,
    /// Leave a line in the log for every request, rather than only for those that were denied.
    #[arg(long, help_heading = "Watching", env = "DAYBOOK_ACCESS_LOG")]
    pub access_log: bool,
    /// Who takes traces.
    #[command(flatten)]
    pub traces: Traces,
    /// How long requests are taken after a stop was asked for, while the service says that it is not ready: by default 2s,
    /// of dev not at all.
    #[arg(long, env = "DAYBOOK_DRAIN", value_parser = parse_duration)]
    pub drain: Option<Duration>,
    /// Where checkpoints are kept.
    #[command(flatten)]
    pub anchors: Anchors,
    /// How often a checkpoint is made, if something was recorded: 10s, 1m.
    #[arg(long, help_heading = "Anchors", env = "DAYBOOK_CHECKPOINT_EVERY", default_value = "10s", value_parser = parse_duration)]
    pub checkpoint_every: Duration,
    /// How often what accounts hold is attested, if something was entered, so that it can be proved: 10m, 30s.
    #[arg(long, help_heading = "Anchors", env = "DAYBOOK_ATTEST_EVERY", default_value = "10m", value_parser = parse_duration)]
    pub attest_every: Duration,
}

impl Service {
    /// What the engine is to know of it.
    #[must_use]
    pub const fn settings(&self) -> Settings {
        Settings::settling_after(self.settle_after).remembering(self.cache.state_cache)
    }

    /// What links in answers begin with, if the service listens on `address`.
    #[must_use]
    pub fn base_url(&self, address: SocketAddr) -> String {
        match &self.public_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None if self.entrance.tls_certificate.is_some() => format!("https://{address}"),
            None => format!("http://{address}"),
        }
    }
}

/// Managing operators.
#[derive(Debug, Subcommand)]
pub enum Operator {
    /// Make an operator and show its credentials; the secret is shown this once.
    Create {
        /// The person's name.
        #[arg(long)]
        name: String,
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
        /// Where the database is.
        #[command(flatten)]
        database: Database,
    },
    /// List all operators, those that were revoked too.
    List {
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
        /// Where the database is.
        #[command(flatten)]
        database: Database,
    },
    /// Make an operator's credentials open nothing, at once and for good.
    Revoke {
        /// The public half of the credentials: `operator_id_…`.
        id: String,
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
        /// Where the database is.
        #[command(flatten)]
        database: Database,
    },
}

/// The longest duration that makes sense anywhere here.
const LONGEST: Duration = Duration::from_hours(365 * 24);

/// A whole number and the unit behind it; who gives none is told `examples`.
fn parse_number<'a, T: FromStr>(text: &'a str, examples: &str) -> Result<(T, &'a str), String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let number = number.parse().map_err(|_| format!("a number with a unit is expected: {examples}"))?;
    Ok((number, unit))
}

/// A whole number with a unit: ms, s, m, h.
///
/// # Errors
///
/// A sentence for the operator, if it is neither.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = parse_number::<u64>(text, "3s, 15m, 1h")?;
    let unit_ms = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err("the unit must be ms, s, m or h".into()),
    };
    let duration = number.checked_mul(unit_ms).map(Duration::from_millis);
    duration.filter(|duration| *duration <= LONGEST).ok_or_else(|| "at most a year, please".to_owned())
}

/// A time in UTC.
///
/// # Errors
///
/// A sentence for the operator, if it is none.
fn parse_time(text: &str) -> Result<Timestamp, String> {
    match moment::parse(text) {
        Ok(Moment::Recorded(time)) => Ok(time),
        _ => Err("must be a time in UTC: 2026-03-01T12:00:00Z".into()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn times_have_a_day_and_zone() {
        assert_eq!(parse_time("1970-01-01T00:00:01Z"), Ok(Timestamp::from_ms(1_000)));
        for text in ["", "7", "2026-03-01", "2026-03-01T12:00:00", "tomorrow"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_duration_needs_a_unit() {
        assert_eq!(parse_duration("3s"), Ok(Duration::from_secs(3)));
        assert_eq!(parse_duration("15m"), Ok(Duration::from_mins(15)));
        for text in
            ["", "3", "s", "-3s", "3 s", "1.5s", "99999999999999999999s", "18446744073709551615h", "8761h"]
        {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
