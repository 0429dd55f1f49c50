//! Options of traces.

use clap::Args;
use hyper::Uri;

/// Options of traces.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Observability")]
pub struct Traces {
    /// Address of an OpenTelemetry collector that accepts OTLP over HTTP, such as `http://127.0.0.1:4318`.
    #[arg(long, env = "DAYBOOK_OTLP_ENDPOINT")]
    pub otlp_endpoint: Option<Uri>,
    /// Share of traces that are sent to the collector, from 0 to 1.
    #[arg(long, env = "DAYBOOK_TRACE_SAMPLE", default_value_t = 1.0, value_parser = part)]
    pub trace_sample: f64,
}

fn part(text: &str) -> Result<f64, String> {
    let part = text.parse().ok().filter(|part| (0.0..=1.0).contains(part));
    part.ok_or_else(|| "a number from 0 to 1 is expected".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_is_between_zero_and_one() {
        assert_eq!((part("0.25"), part("0"), part("1")), (Ok(0.25), Ok(0.0), Ok(1.0)));
        for text in ["1.01", "-0.1", "NaN", "inf", "", "x"] {
            assert!(part(text).is_err(), "{text}");
        }
    }
}
