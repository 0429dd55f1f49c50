//! Metrics of the connection pools, and their current usage.

use std::sync::LazyLock;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

/// Number of statements that met damage, in the whole process: an error does not know its connection.
static DAMAGED: LazyLock<Counter> = LazyLock::new(Counter::default);

/// Counts a statement that read damaged data from the server's disk.
pub(crate) fn damaged() {
    DAMAGED.inc();
}

/// Counters of the pools of one database. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    timeouts: Family<[(&'static str, &'static str); 1], Counter>,
}

impl Metrics {
    /// Creates the counters for pools with these names.
    pub(crate) fn of(pools: impl IntoIterator<Item = &'static str>) -> Self {
        let metrics = Self::default();
        for pool in pools {
            let _ = metrics.timeouts.get_or_create(&[("pool", pool)]);
        }
        metrics
    }

    /// Adds the counters to `registry`.
    pub fn register(&self, registry: &mut Registry) {
        let help =
            "Requests for a connection that timed out: all connections stayed busy, or none could be opened";
        registry.register("db_pool_timeouts", help, self.timeouts.clone());
        let help = "Statements that met a damaged page, index or file of the database";
        registry.register("db_damaged", help, DAMAGED.clone());
    }

    /// Counts a request that got no connection of `pool` in time.
    pub(crate) fn timed_out(&self, pool: &'static str) {
        self.timeouts.get_or_create(&[("pool", pool)]).inc();
    }
}

/// Usage of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolUsage {
    /// Name of the pool: a role without its prefix, `login`, `own` or `own_login`.
    pub pool: &'static str,
    /// Maximum number of connections.
    pub max: usize,
    /// Number of open connections.
    pub size: usize,
    /// Number of connections in use.
    pub in_use: usize,
    /// Number of requests that wait for a connection.
    pub waiting: usize,
}
