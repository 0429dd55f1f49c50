//! Options for rate limits, connection limits and TLS.

use std::path::PathBuf;

use clap::Args;
use daybook_api::HostName;
use daybook_api::rate::{Network, RateLimit};

/// HTTP limits. A rate is `100/s`, `60/m` or `1000/h`; `0` disables it.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Rates and connections")]
pub struct HttpLimits {
    /// Maximum rate of calls from one address, such as 100/s, 60/m or 1000/h; 0 disables it. By default 5000/s, for
    /// `dev` no limit.
    #[arg(long, env = "DAYBOOK_RATE_PER_ADDRESS")]
    pub rate_per_address: Option<RateLimit>,
    /// Maximum rate of calls of one platform and its users; by default 5000/s, for `dev` no limit.
    #[arg(long, env = "DAYBOOK_RATE_PER_PLATFORM")]
    pub rate_per_platform: Option<RateLimit>,
    /// Maximum rate of calls of one user or one operator; by default 500/s, for `dev` no limit.
    #[arg(long, env = "DAYBOOK_RATE_PER_USER")]
    pub rate_per_user: Option<RateLimit>,
    /// Maximum rate of new TLS connections from one address that is not a trusted proxy; by default 50/s, for `dev` no
    /// limit.
    #[arg(long, env = "DAYBOOK_HANDSHAKES_PER_ADDRESS")]
    pub handshakes_per_address: Option<RateLimit>,
    /// Maximum rate of wrong credentials from one address; by default 60/m, for `dev` no limit.
    #[arg(long, env = "DAYBOOK_FAILURES_PER_ADDRESS")]
    pub failures_per_address: Option<RateLimit>,
    /// Maximum rate of wrong credentials for one client, operator or user, from addresses that never sent right ones;
    /// by default 600/m, for `dev` no limit.
    #[arg(long, env = "DAYBOOK_FAILURES_PER_CLIENT")]
    pub failures_per_client: Option<RateLimit>,
    /// Addresses or networks of proxies whose header X-Forwarded-For is trusted; separated by commas.
    #[arg(long, env = "DAYBOOK_TRUSTED_PROXY", value_delimiter = ',')]
    pub trusted_proxy: Vec<Network>,
    /// Maximum number of open connections; 0 disables the limit.
    #[arg(long, env = "DAYBOOK_MAX_CONNECTIONS", default_value_t = 16_384)]
    pub max_connections: usize,
    /// Maximum number of open connections from one address that is not a trusted proxy; 0 disables the limit. By
    /// default 2048, for `dev` no limit.
    #[arg(long, env = "DAYBOOK_MAX_CONNECTIONS_PER_ADDRESS")]
    pub max_connections_per_address: Option<usize>,
    /// File with the certificate of the service, followed by its chain: PEM. SIGHUP reloads it.
    #[arg(long, env = "DAYBOOK_TLS_CERTIFICATE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// File with the private key of the certificate: PEM.
    #[arg(long, env = "DAYBOOK_TLS_KEY", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// Further host names that listeners on loopback addresses accept, that is `dev` and metrics; separated by commas.
    #[arg(long, env = "DAYBOOK_ALLOW_HOST", value_delimiter = ',')]
    pub allow_host: Vec<HostName>,
}
