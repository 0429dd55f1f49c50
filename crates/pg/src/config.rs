//! Address of the database, and the timeouts of every connection to it.

use std::path::Path;
use std::time::Duration;

mod security;

use security::ParsedSecurity;
pub(crate) use security::Security;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

use crate::tls::Connector;
use crate::{Error, Role};

/// Timeout of a connection attempt to one host.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// Server settings of every connection: bounded waits, and an answer to COMMIT only when the data are on disk.
///
/// Plans are made while tables are empty, and kept while they grow to millions of rows. The settings therefore make the
/// planner find every row by an index, one at a time, whatever the statistics are. The cost of a plan is the number of
/// rows that it reads.
const SESSION_SETTINGS: &str = "-c synchronous_commit=on -c lock_timeout=2s -c statement_timeout=5s \
     -c idle_in_transaction_session_timeout=10s -c idle_session_timeout=0 -c timezone=UTC -c jit=off \
     -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c enable_material=off \
     -c random_page_cost=1 -c cpu_tuple_cost=1 -c cpu_index_tuple_cost=1 -c cpu_operator_cost=0.0001";

/// Settings that cannot be overridden, not even by a URL. A name refers to `pg_catalog`, which is searched first unless
/// it is named, or to `public`, and a temporary table never replaces one of our tables. A table with a policy causes an
/// error, instead of code that runs with the rights of the connection that reads the table.
const FIXED_SETTINGS: &str = "-c search_path=public,pg_temp -c row_security=off";

/// Address and options of one database.
#[derive(Clone, Debug)]
pub struct Config {
    postgres: tokio_postgres::Config,
    connector: Connector,
}

impl Config {
    /// Parses a connection URL or a key/value string in the syntax of `psql`, including several hosts and
    /// `sslrootcert`. Connections to another machine are encrypted, unless the text says otherwise. With
    /// `target_session_attrs=read-only` they only read, and a standby is accepted; otherwise the server must take writes.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] if the text is invalid, or the file that it names cannot be read.
    pub fn from_url(url: &str) -> Result<Self, Error> {
        let said = ParsedSecurity::of(url)?;
        let postgres = said.rest.parse::<tokio_postgres::Config>();
        let postgres = postgres.map_err(|error| Error::Config(complaint(&error)))?;
        let security = said.security(&postgres);
        if security == Security::Encrypted {
            tracing::warn!("the database server is not authenticated: use sslmode=verify-full");
        }
        Ok(Self::from_postgres(postgres, Connector::new(&security)?))
    }

    /// Returns the configuration for `database` as `user` over the unix socket in the folder `socket_dir`.
    #[must_use]
    pub fn from_socket(socket_dir: &Path, port: u16, user: &str, database: &str) -> Self {
        let mut postgres = tokio_postgres::Config::new();
        postgres.host_path(socket_dir).port(port).user(user).dbname(database);
        Self::from_postgres(postgres, Connector::PLAIN)
    }

    fn from_postgres(mut postgres: tokio_postgres::Config, connector: Connector) -> Self {
        let options = match postgres.get_options() {
            Some(own) => format!("{SESSION_SETTINGS} {own} {FIXED_SETTINGS}"),
            None => format!("{SESSION_SETTINGS} {FIXED_SETTINGS}"),
        };
        postgres.options(options);
        let mode = if connector.is_secure() { SslMode::Require } else { SslMode::Disable };
        let only_reads = postgres.get_target_session_attrs() == TargetSessionAttrs::ReadOnly;
        let mut postgres = bounded(postgres, mode);
        postgres.target_session_attrs(TargetSessionAttrs::ReadWrite);
        let config = Self { postgres, connector };
        if only_reads { config.read_only() } else { config }
    }

    /// Describes the address for operators: every host with its port, and the database; no user and no password.
    #[must_use]
    pub fn place(&self) -> String {
        let (hosts, ports) = (self.postgres.get_hosts(), self.postgres.get_ports());
        let port = |index| ports.get(index).or(ports.first()).copied().unwrap_or(5432);
        let name = |(index, host): (usize, &Host)| match host {
            Host::Tcp(name) => format!("{name}:{}", port(index)),
            Host::Unix(folder) => format!("{} (port {})", folder.display(), port(index)),
        };
        let mut places: Vec<_> = hosts.iter().enumerate().map(name).collect();
        if places.is_empty() {
            let addresses = self.postgres.get_hostaddrs().iter().enumerate();
            places = addresses.map(|(index, address)| format!("{address}:{}", port(index))).collect();
        }
        let database = self.postgres.get_dbname().or(self.postgres.get_user()).unwrap_or_default();
        format!("the database {database} at {}", places.join(", "))
    }

    /// Returns the configuration for another database on the same server.
    #[must_use]
    pub fn with_database(mut self, database: &str) -> Self {
        self.postgres.dbname(database);
        self
    }

    /// Returns the configuration with the rights of `role` from the first statement on. It costs no round trip.
    #[must_use]
    pub(crate) fn acting_as(mut self, role: Role) -> Self {
        let options = self.postgres.get_options().unwrap_or_default();
        let options = format!("{options} -c role={role}");
        self.postgres.options(options);
        self
    }

    /// Returns a configuration for connections that only read. A standby is accepted.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        let options = self.postgres.get_options().unwrap_or_default();
        let options = format!("{options} -c default_transaction_read_only=on");
        self.postgres.options(options).target_session_attrs(TargetSessionAttrs::Any);
        self
    }

    /// Returns true if connections only read.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.postgres.get_target_session_attrs() == TargetSessionAttrs::Any
    }

    /// Returns a configuration for each host.
    #[must_use]
    pub fn each_host(&self) -> Vec<Self> {
        let (last, mut hosts) = self.split_hosts();
        hosts.push(last);
        hosts.into_iter().map(|postgres| Self { postgres, connector: self.connector.clone() }).collect()
    }

    /// Returns the connector for TLS or plain connections.
    pub(crate) const fn connector(&self) -> &Connector {
        &self.connector
    }

    /// Returns the timeout for connecting: that of one host times the number of hosts.
    pub(crate) fn connect_within(&self) -> Duration {
        let hosts = self.postgres.get_hosts().len().max(self.postgres.get_hostaddrs().len());
        CONNECT_TIMEOUT * u32::try_from(hosts).unwrap_or(u32::MAX).max(1)
    }

    /// Splits the configuration into one per host: the last host, and those before it. If the numbers of hosts, ports
    /// and addresses do not match, they stay together and the driver reports the error.
    pub(crate) fn split_hosts(&self) -> (tokio_postgres::Config, Vec<tokio_postgres::Config>) {
        let all = &self.postgres;
        let count = all.get_hosts().len();
        let fits = |length: usize, alone| length == count || length == alone;
        if count < 2
            || !fits(all.get_ports().len(), 1) && !all.get_ports().is_empty()
            || !fits(all.get_hostaddrs().len(), 0)
        {
            return (all.clone(), vec![]);
        }
        let mut hosts: Vec<_> = (0..count).map(|index| self.only(index)).collect();
        (hosts.pop().unwrap_or_else(|| all.clone()), hosts)
    }

    /// Returns the driver's configuration with one of the hosts. The driver cannot remove a host from a configuration.
    fn only(&self, index: usize) -> tokio_postgres::Config {
        let (all, mut one) = (&self.postgres, tokio_postgres::Config::new());
        if let Some(user) = all.get_user() {
            one.user(user);
        }
        if let Some(password) = all.get_password() {
            one.password(password);
        }
        if let Some(database) = all.get_dbname() {
            one.dbname(database);
        }
        match all.get_hosts().get(index) {
            Some(Host::Tcp(name)) => one.host(name),
            Some(Host::Unix(folder)) => one.host_path(folder),
            None => &mut one,
        };
        if let Some(address) = all.get_hostaddrs().get(index) {
            one.hostaddr(*address);
        }
        if let Some(port) = all.get_ports().get(index).or_else(|| all.get_ports().first()) {
            one.port(*port);
        }
        one.options(all.get_options().unwrap_or_default());
        one.target_session_attrs(all.get_target_session_attrs());
        one.channel_binding(all.get_channel_binding()).ssl_negotiation(all.get_ssl_negotiation());
        bounded(one, all.get_ssl_mode())
    }

    /// Returns the driver's own configuration, including timeouts.
    #[must_use]
    pub fn to_tokio_postgres(&self) -> tokio_postgres::Config {
        self.postgres.clone()
    }
}

/// Describes the error in a connection string. An unknown option may be a part of a password, so only one that has the
/// form of a name is shown.
fn complaint(error: &tokio_postgres::Error) -> String {
    let what = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    let name = what.strip_prefix("unknown option `").map(|name| name.trim_end_matches('`'));
    match name {
        Some(name) if name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') => {
            format!("there is no parameter {name}")
        }
        Some(_) => "it has an unknown parameter".to_owned(),
        None if what.starts_with("unexpected") => "it is not a connection string".to_owned(),
        None => what,
    }
}

/// Sets timeouts for everything on the way to the server.
fn bounded(mut postgres: tokio_postgres::Config, mode: SslMode) -> tokio_postgres::Config {
    postgres
        .application_name("daybook")
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_user_timeout(Duration::from_secs(5))
        .keepalives(true)
        .keepalives_idle(Duration::from_secs(5))
        .keepalives_interval(Duration::from_secs(2))
        .keepalives_retries(3)
        .ssl_mode(mode);
    postgres
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_hosts_keep_all_other_options() {
        let url = "postgres://ada:secret@a:1,b:2,c:3/ledger?hostaddr=127.0.0.1,127.0.0.2,127.0.0.3&options=-c%20x%3Dy";
        let config = Config::from_url(url).unwrap().acting_as(Role::App);
        let (last, others) = config.split_hosts();
        let hosts: Vec<_> = others.into_iter().chain([last]).collect();
        assert_eq!(hosts.len(), 3);
        for (index, host) in hosts.iter().enumerate() {
            let alone = format!("postgres://ada:secret@{}:{}/ledger", ["a", "b", "c"][index], index + 1);
            let url = format!("{alone}?hostaddr=127.0.0.{}&options=-c%20x%3Dy", index + 1);
            let expected = Config::from_url(&url).unwrap().acting_as(Role::App);
            assert_eq!(*host, expected.to_tokio_postgres());
        }
        assert_eq!(config.connect_within(), 3 * CONNECT_TIMEOUT);
    }

    #[test]
    fn read_only_hosts_may_be_standbys() {
        let url = "postgres://ada@a:1,b:2/ledger";
        let config = Config::from_url(url).unwrap();
        assert!(!config.is_read_only());
        let asked = Config::from_url(&format!("{url}?target_session_attrs=read-only")).unwrap();
        assert_eq!(asked.to_tokio_postgres(), config.clone().read_only().to_tokio_postgres());
        let hosts = config.read_only().each_host();
        let places: Vec<_> = hosts.iter().map(Config::place).collect();
        assert_eq!(places, ["the database ledger at a:1", "the database ledger at b:2"]);
        for host in hosts {
            assert!(host.is_read_only());
            assert!(host.postgres.get_options().unwrap().ends_with("-c default_transaction_read_only=on"));
        }
    }

    #[test]
    fn mismatched_hosts_are_left_to_the_driver() {
        let config = Config::from_url("host=/a,/b,/c port=1,2 user=x").unwrap();
        let (all, others) = config.split_hosts();
        assert!(others.is_empty() && all.get_hosts().len() == 3);
    }
}
