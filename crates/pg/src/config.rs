//! Where the database is, and the time limits that stand on every connection to it.

use std::path::Path;
use std::time::Duration;

use crate::{Error, Role};

/// How long a connection attempt may take.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// Server-side settings of every connection: bounded waits, and an answer to COMMIT only when it is on the disk.
///
/// Plans are made while tables are empty and kept while they grow to millions of rows, so every row is to be found by
/// an index, one at a time, whatever the statistics say. What a plan costs is how many rows it looks at.
const SESSION: &str = "-c synchronous_commit=on -c lock_timeout=2s -c statement_timeout=5s \
     -c idle_in_transaction_session_timeout=10s -c timezone=UTC -c jit=off \
     -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c enable_material=off \
     -c random_page_cost=1 -c cpu_tuple_cost=1 -c cpu_index_tuple_cost=1 -c cpu_operator_cost=0.0001";

/// How to reach one database.
#[derive(Clone, Debug)]
pub struct Config {
    postgres: tokio_postgres::Config,
}

impl Config {
    /// Reads a connection URL or a key/value string, as `psql` takes them.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] if the text is not one.
    pub fn from_url(url: &str) -> Result<Self, Error> {
        let postgres =
            url.parse::<tokio_postgres::Config>().map_err(|error| Error::Config(error.to_string()))?;
        Ok(Self::from_postgres(postgres))
    }

    /// Reaches `database` as `user` over the unix socket in the folder `socket_dir`.
    #[must_use]
    pub fn from_socket(socket_dir: &Path, port: u16, user: &str, database: &str) -> Self {
        let mut postgres = tokio_postgres::Config::new();
        postgres.host_path(socket_dir).port(port).user(user).dbname(database);
        Self::from_postgres(postgres)
    }

    fn from_postgres(mut postgres: tokio_postgres::Config) -> Self {
        let options = match postgres.get_options() {
            Some(own) => format!("{SESSION} {own}"),
            None => SESSION.to_owned(),
        };
        postgres
            .options(options)
            .application_name("daybook")
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_user_timeout(Duration::from_secs(5))
            .keepalives_idle(Duration::from_secs(5))
            .keepalives_interval(Duration::from_secs(2))
            .keepalives_retries(3)
            .target_session_attrs(tokio_postgres::config::TargetSessionAttrs::ReadWrite);
        Self { postgres }
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

    /// The driver's own configuration, limits included.
    #[must_use]
    pub fn to_tokio_postgres(&self) -> tokio_postgres::Config {
        self.postgres.clone()
    }
}
