//! Standbys of the servers of a ledger.

use std::str::FromStr;

use clap::Args;
use daybook_pg::{Config, ShardRange};

use super::shard_url::{shown, shown_all};
use super::{DatabaseUrl, ShardUrls, parse_shards};
use crate::error::Error;

/// Connection string of standbys: of home, or with `2-8=` before it of the server of these shards.
#[derive(Clone, Debug)]
pub struct ReadUrl {
    /// Shards of the server that the standbys follow; none for home.
    pub shards: Option<ShardRange>,
    /// Connection string of the standbys.
    pub url: DatabaseUrl,
}

impl FromStr for ReadUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // The names of parameters and of the scheme begin with a letter.
        let range = text.split_once('=').filter(|_| text.starts_with(|first: char| first.is_ascii_digit()));
        let (shards, url) = match range {
            Some((range, url)) => (Some(parse_shards(range)?), url),
            None => (None, text),
        };
        let Ok(url) = url.parse();
        Ok(Self { shards, url })
    }
}

/// Standbys that answer queries.
#[derive(Clone, Debug, Default, Args)]
pub struct ReadUrls {
    /// Connection string of standbys that answer queries; several hosts, or the option several times, in the environment
    /// separated by semicolons. RANGE=URL names standbys of the server that --shard-url gives the range. Answers are as
    /// fresh as those of the primary, which answers where a standby is behind.
    #[arg(
        long,
        help_heading = "Database",
        value_name = "[RANGE=]URL",
        env = "DAYBOOK_READ_URL",
        hide_env_values = true,
        value_delimiter = ';'
    )]
    pub read_url: Vec<ReadUrl>,
}

impl ReadUrls {
    /// Returns a configuration for each host that only reads, with the range of the server that it follows; none for home.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if a range is not that of one server of `shards`, or a connection string is not valid.
    pub fn standbys(&self, shards: &ShardUrls) -> Result<Vec<(Option<ShardRange>, Config)>, Error> {
        let ranges: Vec<ShardRange> = shards.servers()?.into_iter().map(|(range, _)| range).collect();
        let mut standbys = vec![];
        for ReadUrl { shards, url } in &self.read_url {
            if let Some(range) = shards.as_ref().filter(|range| !ranges.contains(range)) {
                let (range, ranges) = (shown(range), shown_all(&ranges));
                let text =
                    format!("--read-url: {range} is not the range of a server; --shard-url has {ranges}");
                return Err(Error::Usage(text));
            }
            let hosts = url.config_of("--read-url")?.read_only().each_host();
            standbys.extend(hosts.into_iter().map(|host| (shards.clone(), host)));
        }
        Ok(standbys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standbys(texts: &[&str]) -> Result<Vec<(Option<ShardRange>, String)>, String> {
        let read_url = texts.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
        let shard_url = ["2-8=host=one user=ada sslmode=disable", "9=host=two user=ada sslmode=disable"];
        let shard_url = shard_url.map(|text| text.parse().expect("a server")).to_vec();
        let read = ReadUrls { read_url }.standbys(&ShardUrls { shard_url });
        let read = read.map_err(|error| error.to_string())?;
        Ok(read.into_iter().map(|(range, config)| (range, config.place())).collect())
    }

    #[test]
    fn standbys_are_of_home_or_of_range() {
        let found = standbys(&[
            "postgres://ada@a,b/ledger?sslmode=disable",
            "2-8=postgres://ada@c,d/ledger?sslmode=disable",
            "9-9=host=e user=ada sslmode=disable",
            "9=host=f user=ada sslmode=disable",
            "host=g user=ada sslmode=disable",
        ]);
        let found = found.expect("all are valid");
        let ranges: Vec<_> = found.iter().map(|(range, _)| range.clone()).collect();
        let (two, nine) = (Some(2..=8), Some(9..=9));
        assert_eq!(ranges, [None, None, two.clone(), two, nine.clone(), nine, None]);
        let hosts: Vec<_> = found.iter().filter_map(|(_, place)| place.rsplit([' ', ':']).nth(1)).collect();
        assert_eq!(hosts, ["a", "b", "c", "d", "e", "f", "g"]);
    }

    #[test]
    fn range_of_no_server_is_refused() {
        for (text, says) in [
            (
                "3=postgres://ada:canary@db/ledger",
                "3 is not the range of a server; --shard-url has 2-8 and 9",
            ),
            ("2-9=postgres://ada:canary@db/ledger", "2-9 is not the range of a server"),
            ("10-12=postgres://ada:canary@db/ledger", "10-12 is not the range of a server"),
            ("1=postgres://ada:canary@db/ledger", "1 is not the range of a server"),
            ("2-=postgres://ada:canary@db/ledger", "a range of shards is expected"),
            ("2-65=postgres://ada:canary@db/ledger", "from 1 to 64"),
            ("2-8=mysql://ada:canary@db/ledger", "--read-url: "),
            ("mysql://ada:canary@db/ledger", "--read-url: "),
        ] {
            let said = standbys(&[text]).expect_err(says);
            assert!(said.contains(says) && !said.contains("canary"), "{said}");
        }
    }
}
