//! Test kit: a service, databases, HTTP clients and processes for tests.

use std::sync::OnceLock;

use daybook_log::{FIRST_SHARD, Shard};

pub mod app;
pub mod bodies;
pub mod client;
pub mod database;
pub mod http;
pub mod operator;
pub mod outgoing;
pub mod process;
pub mod proxy;
pub mod secret_file;
pub mod server;
pub mod tls;

/// Returns the shard that has the platforms of the tests: that of the environment, or the first. `just shards` runs the
/// tests on another shard than the first.
#[must_use]
pub fn shard() -> Shard {
    static SHARD: OnceLock<Shard> = OnceLock::new();
    *SHARD.get_or_init(|| number("DAYBOOK_TEST_SHARD"))
}

/// Returns the number of shards that databases of the tests have.
#[must_use]
pub fn shards() -> Shard {
    static SHARDS: OnceLock<Shard> = OnceLock::new();
    *SHARDS.get_or_init(|| number("DAYBOOK_TEST_SHARDS").max(shard()))
}

/// Returns the number of PostgreSQL servers that have the shards of the tests.
#[must_use]
pub fn servers() -> Shard {
    static SERVERS: OnceLock<Shard> = OnceLock::new();
    *SERVERS.get_or_init(|| number("DAYBOOK_TEST_SERVERS"))
}

fn number(name: &str) -> Shard {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(FIRST_SHARD)
}
