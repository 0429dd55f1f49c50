//! Who takes traces.

use clap::Args;
use hyper::Uri;

/// Options of traces.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Watching")]
pub struct Traces {
    /// Address of an OpenTelemetry collector that takes traces by OTLP over HTTP, such as `http://127.0.0.1:4318`.
    #[arg(long, env = "DAYBOOK_OTLP_ENDPOINT")]
    pub otlp_endpoint: Option<Uri>,
    /// Which part of all traces is taken, from 0 to 1.
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
    fn a_part_is_no_more_than_the_whole() {
        assert_eq!((part("0.25"), part("0"), part("1")), (Ok(0.25), Ok(0.0), Ok(1.0)));
        for text in ["1.01", "-0.1", "NaN", "inf", "", "x"] {
            assert!(part(text).is_err(), "{text}");
        }
    }
}
