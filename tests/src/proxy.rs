//! A connection to PostgreSQL that fails on demand: the proxy of the torture test in front of a test's server.
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot have its proxy has failed")]

use std::path::Path;

use daybook_pg::{Config, Pg};
pub use daybook_torture::proxy::{Proxy, Rule};
use tokio_postgres::config::Host;

/// Starts a proxy in front of `server`. Returns it with a pool of connections through it.
///
/// # Panics
///
/// Panics if `server` has no unix socket, or there is no free port.
pub async fn before(server: &Config) -> (Proxy, Pg) {
    let target = server.to_tokio_postgres();
    let (folder, port) = socket(&target);
    let proxy = Proxy::start(folder.join(format!(".s.PGSQL.{port}"))).await.expect("a free port");
    let url = proxy.url(target.get_user().unwrap_or_default(), target.get_dbname().unwrap_or_default());
    let config = Config::from_url(&url).expect("the names need no quoting");
    (proxy, Pg::new(config).expect("the pool is well configured"))
}

/// Returns the folder of the unix socket of a server of the tests, and its port.
///
/// # Panics
///
/// Panics if `server` has no unix socket.
#[must_use]
pub fn socket(server: &tokio_postgres::Config) -> (&Path, u16) {
    let ([Host::Unix(folder)], [port]) = (server.get_hosts(), server.get_ports()) else {
        panic!("a server of the tests has one unix socket");
    };
    (folder, *port)
}
