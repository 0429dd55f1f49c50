//! Where the database is, and the time limits that stand on every connection to it.

use std::path::Path;
use std::time::Duration;

mod security;

use security::Said;
pub(crate) use security::Security;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

use crate::tls::Connector;
use crate::{Error, Role};

/// How long a connection attempt to one host may take.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// Server-side settings of every connection: bounded waits, and an answer to COMMIT only when it is on the disk.
///
/// Plans are made while tables are empty and kept while they grow to millions of rows, so every row is to be found by
/// an index, one at a time, whatever the statistics say. What a plan costs is how many rows it looks at.
const SESSION: &str = "-c synchronous_commit=on -c lock_timeout=2s -c statement_timeout=5s \
     -c idle_in_transaction_session_timeout=10s -c idle_session_timeout=0 -c timezone=UTC -c jit=off \
     -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c enable_material=off \
     -c random_page_cost=1 -c cpu_tuple_cost=1 -c cpu_index_tuple_cost=1 -c cpu_operator_cost=0.0001";

/// Settings that nobody chooses, a URL least of all. Names mean what `pg_catalog`, which is searched first unless it is
/// named, or `public` has, and a temporary table is never taken for one of ours. A policy of a table is an error instead of
/// code that runs with the rights of the connection that reads it.
const FIXED: &str = "-c search_path=public,pg_temp -c row_security=off";

/// How to reach one database.
#[derive(Clone, Debug)]
pub struct Config {
    postgres: tokio_postgres::Config,
    connector: Connector,
}

impl Config {
    /// Reads a connection URL or a key/value string, as `psql` takes them, several hosts and `sslrootcert` too. Where it
    /// does not say how secure connections have to be, those to another machine are encrypted.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] if the text is not one, or the file that it names cannot be read.
    pub fn from_url(url: &str) -> Result<Self, Error> {
        let said = Said::of(url)?;
        let postgres = said.rest.parse::<tokio_postgres::Config>();
        let postgres = postgres.map_err(|error| Error::Config(complaint(&error)))?;
        let security = said.security(&postgres);
        if security == Security::Encrypted {
            tracing::warn!(
                "whoever answers for the database is believed to be it: sslmode=verify-full does not"
            );
        }
        Ok(Self::from_postgres(postgres, Connector::new(&security)?))
    }

    /// Reaches `database` as `user` over the unix socket in the folder `socket_dir`.
    #[must_use]
    pub fn from_socket(socket_dir: &Path, port: u16, user: &str, database: &str) -> Self {
        let mut postgres = tokio_postgres::Config::new();
        postgres.host_path(socket_dir).port(port).user(user).dbname(database);
        Self::from_postgres(postgres, Connector::PLAIN)
    }

    fn from_postgres(mut postgres: tokio_postgres::Config, connector: Connector) -> Self {
        let options = match postgres.get_options() {
            Some(own) => format!("{SESSION} {own} {FIXED}"),
            None => format!("{SESSION} {FIXED}"),
        };
        postgres.options(options);
        let mode = if connector.is_secure() { SslMode::Require } else { SslMode::Disable };
        let postgres = bounded(postgres, mode);
        Self { postgres, connector }
    }

    /// Where it is, for a person to read: every host with its port, and the database; nothing of who logs in.
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

    /// The same server, another database.
    #[must_use]
    pub fn with_database(mut self, database: &str) -> Self {
        self.postgres.dbname(database);
        self
    }

    /// The same with the rights of `role` from the first statement on; that costs no round trip.
    #[must_use]
    pub(crate) fn acting_as(mut self, role: Role) -> Self {
        let options = self.postgres.get_options().unwrap_or_default();
        let options = format!("{options} -c role={role}");
        self.postgres.options(options);
        self
    }

    /// What makes connections secure, if they are.
    pub(crate) const fn connector(&self) -> &Connector {
        &self.connector
    }

    /// How long connecting may take: each host has its time.
    pub(crate) fn connect_within(&self) -> Duration {
        let hosts = self.postgres.get_hosts().len().max(self.postgres.get_hostaddrs().len());
        CONNECT_TIMEOUT * u32::try_from(hosts).unwrap_or(u32::MAX).max(1)
    }

    /// Each host alone: the last, and those before it. What makes no sense stays together, for the driver to say so.
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

    /// The driver's configuration with one of the hosts; it has no way to take one out.
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
        one.channel_binding(all.get_channel_binding()).ssl_negotiation(all.get_ssl_negotiation());
        bounded(one, all.get_ssl_mode())
    }

    /// The driver's own configuration, limits included.
    #[must_use]
    pub fn to_tokio_postgres(&self) -> tokio_postgres::Config {
        self.postgres.clone()
    }
}

/// What is wrong with a connection string. What stands where the name of an option is expected may be a part of a password.
fn complaint(error: &tokio_postgres::Error) -> String {
    let what = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    let name = what.strip_prefix("unknown option `").map(|name| name.trim_end_matches('`'));
    match name {
        Some(name) if name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') => {
            format!("there is no parameter {name}")
        }
        Some(_) => "what stands there is no parameter".to_owned(),
        None if what.starts_with("unexpected") => "it is no connection string".to_owned(),
        None => what,
    }
}

/// Bounds how long anything on the way to the server may take.
fn bounded(mut postgres: tokio_postgres::Config, mode: SslMode) -> tokio_postgres::Config {
    postgres
        .application_name("daybook")
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_user_timeout(Duration::from_secs(5))
        .keepalives(true)
        .keepalives_idle(Duration::from_secs(5))
        .keepalives_interval(Duration::from_secs(2))
        .keepalives_retries(3)
        .ssl_mode(mode)
        .target_session_attrs(TargetSessionAttrs::ReadWrite);
    postgres
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_is_the_whole_with_that_host_alone() {
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
    fn what_fits_together_in_no_way_is_for_the_driver_to_refuse() {
        let config = Config::from_url("host=/a,/b,/c port=1,2 user=x").unwrap();
        let (all, others) = config.split_hosts();
        assert!(others.is_empty() && all.get_hosts().len() == 3);
    }
}
