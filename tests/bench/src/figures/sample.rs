//! One measurement: a figure, with values that explain it.

use std::time::Duration;

use super::count;
use crate::stage::cpu::Cpu;

/// Result of one measurement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    /// The figure, in the unit of its line.
    pub(crate) value: f64,
    pub(super) p50_ms: Option<f64>,
    pub(super) p99_ms: Option<f64>,
    /// Number of busy cores during the measurement.
    pub(super) cores: Option<Cpu>,
    /// Further values by name.
    pub(super) also: Vec<(&'static str, f64)>,
}

impl Sample {
    /// Creates a sample of a figure alone.
    pub(crate) fn of(value: f64) -> Self {
        Self { value, ..Self::default() }
    }

    /// Creates a sample of `number` per `duration`.
    pub(crate) fn rate(number: u64, duration: Duration) -> Self {
        Self::of(count(number) / duration.as_secs_f64())
    }

    /// Adds all latencies, the shortest first.
    pub(crate) fn latencies(self, sorted: &[Duration]) -> Self {
        let at = |permille| (!sorted.is_empty()).then(|| ms(percentile(sorted, permille)));
        Self { p50_ms: at(500), p99_ms: at(990), ..self }
    }

    /// Adds the number of busy cores.
    pub(crate) fn cores(self, cores: Cpu) -> Self {
        Self { cores: Some(cores), ..self }
    }

    /// Adds a further value.
    pub(crate) fn also(mut self, name: &'static str, value: f64) -> Self {
        self.also.push((name, value));
        self
    }
}

/// Returns the smallest value of `sorted` that `permille` of the values do not exceed.
pub(crate) fn percentile(sorted: &[Duration], permille: usize) -> Duration {
    let rank = (sorted.len() * permille).div_ceil(1000);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

/// Converts to milliseconds.
pub(crate) fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentile_is_one_of_the_samples() {
        let sorted: Vec<Duration> = (1..=200).map(Duration::from_millis).collect();
        let table = [(500, 100), (990, 198), (999, 200), (1000, 200)];
        for (permille, expected_ms) in table {
            assert_eq!(percentile(&sorted, permille), Duration::from_millis(expected_ms), "{permille}");
        }
        assert_eq!(percentile(&[], 500), Duration::ZERO);
    }

    #[test]
    fn sample_without_requests_has_no_latency() {
        assert_eq!(Sample::of(1.0).latencies(&[]).p99_ms, None);
        assert_eq!(Sample::rate(30, Duration::from_secs(2)).value.to_string(), "15");
    }
}
