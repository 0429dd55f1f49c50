//! Options of who may call, how often, and over what kind of connection.

use std::path::PathBuf;

use clap::Args;
use daybook_api::HostName;
use daybook_api::rate::{Network, Pace};

/// How the service is entered. A pace is so many in so long, `100/s`, `60/m` or `1000/h`, and `0` is no limit.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Rates and connections")]
pub struct Entrance {
    /// The most calls from one address; by default 5000/s, of `dev` no limit.
    #[arg(long, env = "DAYBOOK_RATE_PER_ADDRESS")]
    pub rate_per_address: Option<Pace>,
    /// The most calls of one platform and its users; by default 5000/s, of `dev` no limit.
    #[arg(long, env = "DAYBOOK_RATE_PER_PLATFORM")]
    pub rate_per_platform: Option<Pace>,
    /// The most calls of one user, or one operator; by default 500/s, of `dev` no limit.
    #[arg(long, env = "DAYBOOK_RATE_PER_USER")]
    pub rate_per_user: Option<Pace>,
    /// The most TLS connections that one address begins, unless it is a trusted proxy; by default 50/s, of `dev` no limit.
    #[arg(long, env = "DAYBOOK_HANDSHAKES_PER_ADDRESS")]
    pub handshakes_per_address: Option<Pace>,
    /// How often one address may be wrong about credentials; by default 60/m, of `dev` no limit.
    #[arg(long, env = "DAYBOOK_FAILURES_PER_ADDRESS")]
    pub failures_per_address: Option<Pace>,
    /// How often addresses that were never right may be wrong about one client; by default 600/m, of `dev` no limit.
    #[arg(long, env = "DAYBOOK_FAILURES_PER_CLIENT")]
    pub failures_per_client: Option<Pace>,
    /// Addresses or networks of proxies whose X-Forwarded-For is believed; separated by commas.
    #[arg(long, env = "DAYBOOK_TRUSTED_PROXY", value_delimiter = ',')]
    pub trusted_proxy: Vec<Network>,
    /// The most connections at a time; 0 is no limit.
    #[arg(long, env = "DAYBOOK_MAX_CONNECTIONS", default_value_t = 16_384)]
    pub max_connections: usize,
    /// The most of them from one address that is no trusted proxy; by default 2048, of `dev` no limit; 0 is none.
    #[arg(long, env = "DAYBOOK_MAX_CONNECTIONS_PER_ADDRESS")]
    pub max_connections_per_address: Option<usize>,
    /// File with the certificate that the service shows, and those that lead to an authority: PEM. Read again at SIGHUP.
    #[arg(long, env = "DAYBOOK_TLS_CERTIFICATE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// File with the certificate's key: PEM.
    #[arg(long, env = "DAYBOOK_TLS_KEY", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// Further names by which listeners on loopback addresses are called, those of `dev` and of metrics; separated by commas.
    #[arg(long, env = "DAYBOOK_ALLOW_HOST", value_delimiter = ',')]
    pub allow_host: Vec<HostName>,
}
