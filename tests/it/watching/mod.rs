//! Monitoring for operators: metrics, access log, traces, health and readiness.
#![allow(clippy::float_cmp, reason = "what is compared are whole numbers")]

mod access_log;
mod alerts;
mod malformed;
pub(crate) mod metrics;
mod readiness;
mod standing;
mod state_cache;
mod stopping;
mod traces;

use std::collections::BTreeMap;

/// One series of the metrics: its name, its labels and its value.
struct Series<'a> {
    name: &'a str,
    labels: BTreeMap<&'a str, &'a str>,
    value: f64,
}

/// Parses the text format of Prometheus.
fn series(text: &str) -> Vec<Series<'_>> {
    text.lines().filter(|line| !line.starts_with('#')).map(one).collect()
}

fn one(line: &str) -> Series<'_> {
    let (series, value) = line.rsplit_once(' ').expect("a value");
    let value = value.parse().expect("a number");
    let Some((name, labels)) = series.split_once('{') else {
        return Series { name: series, labels: BTreeMap::new(), value };
    };
    let labels = labels.strip_suffix("\"}").expect("labels end").split("\",");
    let pairs = labels.map(|label| label.split_once("=\"").expect("a label"));
    Series { name, labels: pairs.collect(), value }
}

/// Label of the first shard.
pub(crate) const ONE: [(&str, &str); 1] = [("shard", "1")];

/// Returns the value of the series with this name and exactly these labels.
pub(crate) fn value(text: &str, name: &str, labels: &[(&str, &str)]) -> f64 {
    let of = labels.iter().copied().collect::<BTreeMap<_, _>>();
    let found = series(text).into_iter().find(|series| series.name == name && series.labels == of);
    found.unwrap_or_else(|| panic!("no {name} {labels:?} in\n{text}")).value
}
