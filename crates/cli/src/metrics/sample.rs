//! Gauges of one scrape: those of the process, and those that each shard has.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;

use daybook_log::Shard;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// A gauge with a current value.
type Number = Gauge<f64, AtomicU64>;

/// Labels of a gauge: the shard, and one more or none.
type Labels = ([(&'static str, Shard); 1], Vec<(&'static str, &'static str)>);

/// Values of one scrape.
pub(super) struct Sample {
    pub(super) registry: Registry,
    /// Gauges that each shard has, by name.
    of_shards: BTreeMap<&'static str, Family<Labels, Number>>,
}

impl Sample {
    /// Creates an empty sample whose names begin with `prefix`.
    pub(super) fn new(prefix: &str) -> Self {
        Self { registry: Registry::with_prefix(prefix), of_shards: BTreeMap::new() }
    }

    /// Adds one gauge.
    pub(super) fn gauge(&mut self, name: &str, help: &str, value: f64) {
        let gauge = Number::default();
        gauge.set(value);
        self.registry.register(name, help, gauge);
    }

    /// Adds a gauge for each pool of connections: the server, the name of the pool, and the value.
    pub(super) fn pools(
        &mut self,
        (name, help): Described,
        values: impl IntoIterator<Item = (String, &'static str, f64)>,
    ) {
        let family = Family::<[(&'static str, String); 2], Number>::default();
        for (server, pool, value) in values {
            family.get_or_create(&[("server", server), ("pool", pool.to_owned())]).set(value);
        }
        self.registry.register(name, help, family);
    }

    /// Adds the values of a shard.
    pub(super) fn add(&mut self, of: ShardSample) {
        for ShardValue { described: (name, help), label, value } in of.values {
            let family = self.of_shards.entry(name).or_insert_with(|| {
                let family = Family::default();
                self.registry.register(name, help, Family::clone(&family));
                family
            });
            family.get_or_create(&([("shard", of.shard)], label.into_iter().collect())).set(value);
        }
    }
}

/// Values of one scrape that each shard has.
pub(super) struct ShardSample {
    pub(super) shard: Shard,
    values: Vec<ShardValue>,
}

/// Value of a gauge of a shard.
struct ShardValue {
    described: Described,
    /// Label besides the shard.
    label: Option<(&'static str, &'static str)>,
    value: f64,
}

/// Name and help text of a metric.
type Described = (&'static str, &'static str);

impl ShardSample {
    /// Creates an empty sample of `shard`.
    pub(super) fn new(shard: Shard) -> Self {
        Self { shard, values: Vec::new() }
    }

    pub(super) fn gauge(&mut self, name: &'static str, help: &'static str, value: f64) {
        self.values.push(ShardValue { described: (name, help), label: None, value });
    }

    pub(super) fn gauges(
        &mut self,
        described: Described,
        label: &'static str,
        values: impl IntoIterator<Item = (&'static str, f64)>,
    ) {
        let of = |(of, value)| ShardValue { described, label: Some((label, of)), value };
        self.values.extend(values.into_iter().map(of));
    }
}

/// Converts a count to the floating-point number that Prometheus expects.
pub(super) fn count(number: u64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "exact up to 2^53")]
    let number = number as f64;
    number
}
