//! Options of `serve`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args};
use daybook_pg::ShardRange;

use super::{Bank, DatabaseUrl, ReadUrls, Service, ShardUrls, parse_duration, parse_shards};

/// Options of `serve`.
#[derive(Clone, Debug, Args)]
pub struct Serve {
    /// Connection string of the PostgreSQL server, in the form that psql takes.
    #[arg(long, help_heading = "Database", env = "DAYBOOK_DATABASE_URL", hide_env_values = true)]
    pub database_url: DatabaseUrl,
    /// Servers of further shards.
    #[command(flatten)]
    pub shards: ShardUrls,
    /// Shards whose background work this process does: 2-8, or 3; by default all. Requests about every shard are answered.
    #[arg(long, help_heading = "Database", value_name = "RANGE", env = "DAYBOOK_SERVE_SHARDS", value_parser = parse_shards)]
    pub serve_shards: Option<ShardRange>,
    /// Standbys that answer queries.
    #[command(flatten)]
    pub standbys: ReadUrls,
    /// Time to wait for a database that is starting up: 60s, 5m.
    #[arg(long, help_heading = "Database", env = "DAYBOOK_DATABASE_WAIT", default_value = "60s", value_parser = parse_duration)]
    pub database_wait: Duration,
    /// File with the 32-byte master key that seals personal data.
    #[arg(long, help_heading = "Keys", env = "DAYBOOK_MASTER_KEY")]
    pub master_key: PathBuf,
    /// Files with further master keys, accepted while the master key is being replaced; separated by commas.
    #[arg(long, help_heading = "Keys", env = "DAYBOOK_OTHER_MASTER_KEY", value_delimiter = ',')]
    pub other_master_key: Vec<PathBuf>,
    /// File with the key that signs the log, as `daybook key create` writes it; by default signing.key in the folder of
    /// the master key.
    #[arg(long, help_heading = "Keys", env = "DAYBOOK_SIGNING_KEY")]
    pub signing_key: Option<PathBuf>,
    /// Files with former signing keys, separated by commas; those with a secret key sign checkpoints as well.
    #[arg(long, help_heading = "Keys", env = "DAYBOOK_FORMER_SIGNING_KEY", value_delimiter = ',')]
    pub former_signing_key: Vec<PathBuf>,
    /// Serve a database that has the publicly known credentials of `dev`.
    #[arg(long, help_heading = "Database", env = "DAYBOOK_ALLOW_DEV_CREDENTIALS")]
    pub allow_dev_credentials: bool,
    /// Require that every connection has exactly the rights of its role; false if database roles cannot be created.
    #[arg(long, help_heading = "Database", env = "DAYBOOK_STRICT_ROLES", default_value_t = true, action = ArgAction::Set, value_name = "BOOL")]
    pub strict_roles: bool,
    /// Options of the service.
    #[command(flatten)]
    pub service: Service,
    /// Bank that keeps the money.
    #[command(flatten)]
    pub bank: Bank,
}
