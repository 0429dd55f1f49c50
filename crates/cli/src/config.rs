//! Command line and environment. Options of the service and the database are also environment variables `DAYBOOK_…`.

mod anchor;
mod bank;
mod client;
mod cut_off;
mod database_url;
mod format_name;
mod help;
mod http_limits;
mod key;
mod ledger;
mod log;
mod ops;
mod projection;
mod read_url;
mod reconcile;
mod replay;
mod serve;
mod shard;
mod shard_url;
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

pub use anchor::{AnchorLocation, Anchors};
pub use bank::Bank;
use clap::{Args, Parser, Subcommand};
pub use client::Client;
use cut_off::parse_time_zone;
pub use cut_off::{CutOffTime, UTC};
pub use database_url::DatabaseUrl;
use daybook_api::wire::moment;
use daybook_domain::Timestamp;
use daybook_engine::Settings;
use daybook_projector::Moment;
pub use format_name::FormatName;
pub use help::{command, read};
pub use http_limits::HttpLimits;
pub use key::Key;
pub use ledger::{Format, Ledger, Report, ReportOptions};
pub use log::{Log, Tail, Trusted};
pub use ops::{OperatorOptions, Ops, Others};
pub use projection::{Diff, Projection, ProjectionOptions, Rebuild};
pub use read_url::{ReadUrl, ReadUrls};
pub use reconcile::{BankReconciliation, PackFormat, Reconcile, Reconciliation};
pub use replay::{Record, Replay};
pub use serve::Serve;
pub use shard::{OneShard, Shard, ShardOption};
pub use shard_url::{ShardUrl, ShardUrls, parse_shards};
pub use state_cache::StateCache;
pub use subject::{Hold, Reason, Subject};
pub use traces::Traces;
pub use vault::Vault;
pub use webhook::Webhook;

/// First line of `daybook --help`.
const ABOUT: &str = "Event-sourced, double-entry ledger with a payments API, on PostgreSQL";

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "daybook", bin_name = "daybook", version, about = ABOUT, after_help = help::ROOT, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// Command to run; `dev` if none is given.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of `dev`.
    #[command(flatten)]
    pub dev: Dev,
}

impl Cli {
    /// Options of the service, if the command serves.
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

/// Commands of `daybook`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve a sandbox on an embedded PostgreSQL: publicly known credentials, loopback only.
    #[command(after_help = help::DEV)]
    Dev(Dev),
    /// Serve on an existing PostgreSQL server, without a sandbox platform.
    #[command(after_help = help::SERVE)]
    Serve(Serve),
    /// Migrate the schema of the database to the version of this binary, and exit.
    #[command(after_help = help::MIGRATE)]
    Migrate(Migrate),
    /// Add shards, each of which is a log with a writer of its own, and choose which of them take new platforms.
    #[command(subcommand, after_help = help::SHARD)]
    Shard(Shard),
    /// Manage platforms and their credentials.
    #[command(subcommand, after_help = help::CLIENT)]
    Client(Client),
    /// Manage operators: the persons who run the ledger.
    #[command(subcommand, after_help = help::OPERATOR)]
    Operator(Operator),
    /// Create the key that signs the log, or show its public half.
    #[command(subcommand, after_help = help::KEY)]
    Key(Key),
    /// Work as an operator: queued transactions, operations, files, returns, statements.
    #[command(subcommand, after_help = help::OPS)]
    Ops(Box<Ops>),
    /// Report on the ledger as a whole: trial balance, custody, export.
    #[command(subcommand, after_help = help::LEDGER)]
    Ledger(Ledger),
    /// Inspect the log: show, count, export, import, verify.
    #[command(subcommand, after_help = help::LOG)]
    Log(Log),
    /// Rebuild read models while the service runs, compare versions and switch.
    #[command(subcommand, after_help = help::PROJECTION)]
    Projection(Box<Projection>),
    /// Check that the tables that are served agree with the log, and that the ledger agrees with the bank.
    #[command(subcommand, after_help = help::RECONCILE)]
    Reconcile(Box<Reconcile>),
    /// Manage the keys of personal data.
    #[command(subcommand, after_help = help::VAULT)]
    Vault(Vault),
    /// Redeliver events to webhook subscriptions.
    #[command(subcommand, after_help = help::WEBHOOK)]
    Webhook(Webhook),
    /// Export, retain and erase the data about a person.
    #[command(subcommand, after_help = help::SUBJECT)]
    Subject(Box<Subject>),
    /// Open psql on the database of a data folder, with all rights of its owner; starts the server if it is not
    /// running.
    #[command(after_help = help::PSQL)]
    Psql(Psql),
    /// Show the state of a record at any moment, and its events, from the log alone.
    #[command(after_help = help::REPLAY)]
    Replay(Replay),
}

/// Options of `dev`.
#[derive(Clone, Debug, Args)]
pub struct Dev {
    /// Database to use, with its keys.
    #[command(flatten)]
    pub database: Database,
    /// Options of the service.
    #[command(flatten)]
    pub service: Service,
    /// Bank that keeps the money of platforms that are not sandboxes.
    #[command(flatten)]
    pub bank: Bank,
}

/// Options of `migrate`.
#[derive(Clone, Debug, Args)]
pub struct Migrate {
    /// Print the result as JSON.
    #[arg(long)]
    pub json: bool,
    /// Database to use.
    #[command(flatten)]
    pub database: Database,
}

/// Options of `psql`.
#[derive(Clone, Debug, Args)]
pub struct Psql {
    /// Arguments for psql, such as `-c 'select …'`.
    #[arg(last = true, value_name = "PSQL OPTIONS")]
    pub args: Vec<OsString>,
    /// Database to use.
    #[command(flatten)]
    pub database: Database,
}

/// Database, and the keys of its contents.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Database")]
pub struct Database {
    /// Connection string of a PostgreSQL server to use instead of the embedded one, in the form that psql takes.
    #[arg(long, env = "DAYBOOK_DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<DatabaseUrl>,
    /// Servers of further shards.
    #[command(flatten)]
    pub shards: ShardUrls,
    /// Folder of the embedded PostgreSQL server and of the keys.
    #[arg(long, env = "DAYBOOK_DATA_DIR", default_value = ".daybook")]
    pub data_dir: PathBuf,
    /// Folder with the server binaries of PostgreSQL; by default they are searched for.
    #[arg(long, env = "DAYBOOK_PG_BIN")]
    pub pg_bin: Option<PathBuf>,
    /// File with the 32-byte master key that seals personal data; by default master.key in the data folder.
    #[arg(long, help_heading = "Keys", env = "DAYBOOK_MASTER_KEY")]
    pub master_key: Option<PathBuf>,
    /// Files with further master keys, accepted while the master key is being replaced; separated by commas.
    #[arg(long, help_heading = "Keys", env = "DAYBOOK_OTHER_MASTER_KEY", value_delimiter = ',')]
    pub other_master_key: Vec<PathBuf>,
    /// File with the key that signs the log; by default signing.key in the folder of the master key.
    #[arg(long, help_heading = "Keys", env = "DAYBOOK_SIGNING_KEY")]
    pub signing_key: Option<PathBuf>,
    /// Files with former signing keys, separated by commas; those with a secret key sign checkpoints as well.
    #[arg(long, help_heading = "Keys", env = "DAYBOOK_FORMER_SIGNING_KEY", value_delimiter = ',')]
    pub former_signing_key: Vec<PathBuf>,
}

/// Options of the service.
#[derive(Clone, Debug, Args)]
pub struct Service {
    /// Address and port to listen on.
    #[arg(long, env = "DAYBOOK_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Base URL by which clients reach the service, for links in answers; by default the listen address.
    #[arg(long, env = "DAYBOOK_PUBLIC_URL")]
    pub public_url: Option<String>,
    /// Time from the creation of a transaction to its settlement: 3s, 15m, 1h.
    #[arg(long, env = "DAYBOOK_SETTLE_AFTER", default_value = "15m", value_parser = parse_duration)]
    pub settle_after: Duration,
    /// Cache of the writer.
    #[command(flatten)]
    pub cache: StateCache,
    /// HTTP limits and TLS.
    #[command(flatten)]
    pub http_limits: HttpLimits,
    /// Address and port of the metrics, separate from those of the service; by default 127.0.0.1:9464 if that is free.
    #[arg(long, help_heading = "Observability", env = "DAYBOOK_METRICS_LISTEN")]
    pub metrics_listen: Option<SocketAddr>,
    /// Log every request, not only denied ones.
    #[arg(long, help_heading = "Observability", env = "DAYBOOK_ACCESS_LOG")]
    pub access_log: bool,
    /// Traces.
    #[command(flatten)]
    pub traces: Traces,
    /// Time for which requests are still accepted after a stop signal, while the service reports that it is not ready;
    /// by default 2s, for `dev` none.
    #[arg(long, env = "DAYBOOK_DRAIN", value_parser = parse_duration)]
    pub drain: Option<Duration>,
    /// Anchors of checkpoints.
    #[command(flatten)]
    pub anchors: Anchors,
    /// Interval between checkpoints; one is made only if events were recorded: 10s, 1m.
    #[arg(long, help_heading = "Anchors", env = "DAYBOOK_CHECKPOINT_EVERY", default_value = "10s", value_parser = parse_duration)]
    pub checkpoint_every: Duration,
    /// Interval between attestations, which make account balances provable; one is made only if there are new entries:
    /// 10m, 30s.
    #[arg(long, help_heading = "Anchors", env = "DAYBOOK_ATTEST_EVERY", default_value = "10m", value_parser = parse_duration)]
    pub attest_every: Duration,
}

impl Service {
    /// Settings of the engine.
    #[must_use]
    pub const fn settings(&self) -> Settings {
        Settings::settling_after(self.settle_after).remembering(self.cache.state_cache)
    }

    /// Base URL of links in answers, if the service listens on `address`.
    #[must_use]
    pub fn base_url(&self, address: SocketAddr) -> String {
        match &self.public_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None if self.http_limits.tls_certificate.is_some() => format!("https://{address}"),
            None => format!("http://{address}"),
        }
    }
}

/// Commands of `daybook operator`.
#[derive(Debug, Subcommand)]
pub enum Operator {
    /// Create an operator and show the credentials; the secret is shown only once.
    Create {
        /// Name of the person.
        #[arg(long)]
        name: String,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
    /// List all operators, including revoked ones.
    List {
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
    /// Show or set the roles of an operator. The command reaches the database itself, so that it works when no operator
    /// has the role `admin` any more.
    Roles {
        /// Public half of the credentials: `operator_id_…`.
        id: String,
        /// All roles that the operator holds from now on, without which they are shown: `auditor`, `support`,
        /// `operator`, `approver` or `admin`, on one platform with `@CLIENT_ID` behind it; `none` for no role.
        roles: Vec<String>,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
    /// Revoke the credentials of an operator, immediately and permanently.
    Revoke {
        /// Public half of the credentials: `operator_id_…`.
        id: String,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
}

/// Longest duration that options accept.
const MAX_DURATION: Duration = Duration::from_hours(365 * 24);

/// Splits a text into a whole number and its unit. The error text contains `examples`.
fn parse_number<'a, T: FromStr>(text: &'a str, examples: &str) -> Result<(T, &'a str), String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let number = number.parse().map_err(|_| format!("a number with a unit is expected: {examples}"))?;
    Ok((number, unit))
}

/// Parses a duration: a whole number with a unit ms, s, m or h.
///
/// # Errors
///
/// A sentence for the operator, if the text is not a duration or is longer than a year.
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
    duration.filter(|duration| *duration <= MAX_DURATION).ok_or_else(|| "must be at most a year".to_owned())
}

/// Parses a time in UTC.
///
/// # Errors
///
/// A sentence for the operator, if the text is not such a time.
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
    fn command_line_is_consistent() {
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
    fn duration_needs_a_unit() {
        assert_eq!(parse_duration("3s"), Ok(Duration::from_secs(3)));
        assert_eq!(parse_duration("15m"), Ok(Duration::from_mins(15)));
        for text in
            ["", "3", "s", "-3s", "3 s", "1.5s", "99999999999999999999s", "18446744073709551615h", "8761h"]
        {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
