//! What is counted of pools, and what can be told of them at any moment.

use std::sync::LazyLock;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

/// Statements that met damage. Of the whole process: an error does not know whose connection it came from.
static DAMAGED: LazyLock<Counter> = LazyLock::new(Counter::default);

/// A statement met something on the server's disk that is not what was written there.
pub(crate) fn damaged() {
    DAMAGED.inc();
}

/// What the processes of one database count; clones count together.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    timeouts: Family<[(&'static str, &'static str); 1], Counter>,
}

impl Metrics {
    /// Those of pools with these names.
    pub(crate) fn of(pools: impl IntoIterator<Item = &'static str>) -> Self {
        let metrics = Self::default();
        for pool in pools {
            let _ = metrics.timeouts.get_or_create(&[("pool", pool)]);
        }
        metrics
    }

    /// Has `registry` show them.
    pub fn register(&self, registry: &mut Registry) {
        let help =
            "Requests for a connection that were told to come back: all stayed busy, or none could be made";
        registry.register("db_pool_timeouts", help, self.timeouts.clone());
        let help = "Statements that met a damaged page, index or file of the database";
        registry.register("db_damaged", help, DAMAGED.clone());
    }

    /// Nobody got a connection of `pool` in time.
    pub(crate) fn timed_out(&self, pool: &'static str) {
        self.timeouts.get_or_create(&[("pool", pool)]).inc();
    }
}

/// How much of a pool is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolUsage {
    /// Whose connections they are: a role without its prefix, or `login`.
    pub pool: &'static str,
    /// The most connections that it may have.
    pub max: usize,
    /// The connections that it has.
    pub size: usize,
    /// How many of these are in use.
    pub in_use: usize,
    /// How many wait for one.
    pub waiting: usize,
}
