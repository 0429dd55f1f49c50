//! Servers of ranges of shards.

use std::str::FromStr;

use clap::Args;
use daybook_log::postgres::MAX_SHARDS;
use daybook_pg::{Config, ShardRange};

use super::DatabaseUrl;
use crate::error::Error;

/// Connection string of the server of a range of shards: `2-8=postgres://…`, or `3=postgres://…`.
#[derive(Clone, Debug)]
pub struct ShardUrl {
    /// The shards.
    pub shards: ShardRange,
    /// Connection string of their server.
    pub url: DatabaseUrl,
}

impl FromStr for ShardUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "expected is RANGE=URL: 2-8=postgres://USER@HOST/DATABASE".to_owned();
        let (range, url) = text.split_once('=').ok_or_else(wrong)?;
        let shards = parse_shards(range)?;
        Ok(Self { shards, url: url.parse().map_err(|_| wrong())? })
    }
}

/// Parses a range of shards: `2-8`, or `3`.
///
/// # Errors
///
/// A sentence for the operator.
pub fn parse_shards(text: &str) -> Result<ShardRange, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| {
        let number = text.parse::<i16>().ok().filter(|number| (1..=MAX_SHARDS).contains(number));
        number.ok_or_else(|| format!("a range of shards is expected: 2-8, or 3, from 1 to {MAX_SHARDS}"))
    };
    let (first, last) = (number(first)?, number(last)?);
    if first > last {
        return Err(format!("the range {first}-{last} is empty"));
    }
    Ok(first..=last)
}

/// Servers of shards beside the one of `--database-url`.
#[derive(Clone, Debug, Default, Args)]
pub struct ShardUrls {
    /// Server of a range of shards: 2-8=postgres://…; may be given several times, in the environment separated by
    /// semicolons. Shards in no range are on the server of --database-url.
    #[arg(
        long = "shard-url",
        help_heading = "Database",
        value_name = "RANGE=URL",
        env = "DAYBOOK_SHARD_URL",
        hide_env_values = true,
        value_delimiter = ';'
    )]
    pub shard_url: Vec<ShardUrl>,
}

impl ShardUrls {
    /// Returns the servers with their ranges.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if two ranges overlap, or a connection string is not valid.
    pub fn servers(&self) -> Result<Vec<(ShardRange, Config)>, Error> {
        let mut servers: Vec<(ShardRange, Config)> = vec![];
        for ShardUrl { shards, url } in &self.shard_url {
            if let Some((other, _)) = servers.iter().find(|(other, _)| overlap(other, shards)) {
                let text = format!("--shard-url: the ranges {} and {} overlap", shown(other), shown(shards));
                return Err(Error::Usage(text));
            }
            servers.push((shards.clone(), url.config_of("--shard-url")?));
        }
        Ok(servers)
    }
}

fn overlap(one: &ShardRange, other: &ShardRange) -> bool {
    one.start() <= other.end() && other.start() <= one.end()
}

/// Returns the range as options name it: `2-8`, or `3`.
pub(super) fn shown(range: &ShardRange) -> String {
    match (range.start(), range.end()) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    }
}

/// Returns the ranges as a sentence lists them.
pub(super) fn shown_all(ranges: &[ShardRange]) -> String {
    let shown: Vec<String> = ranges.iter().map(shown).collect();
    match shown.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => "none".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers(texts: &[&str]) -> Result<Vec<ShardRange>, String> {
        let shard_url = texts.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
        let servers = ShardUrls { shard_url }.servers().map_err(|error| error.to_string())?;
        Ok(servers.into_iter().map(|(range, _)| range).collect())
    }

    #[test]
    fn ranges_are_parsed_and_checked() {
        let url = |range: &str| format!("{range}=postgres://ada:canary@db/ledger");
        assert_eq!(servers(&[&url("2-8"), &url("9")]), Ok(vec![2..=8, 9..=9]));
        assert_eq!(servers(&["3=host=db dbname=ledger user=ada sslmode=disable"]), Ok(vec![3..=3]));
        for (texts, says) in [
            (vec![url("2-8"), url("8-9")], "the ranges 2-8 and 8-9 overlap"),
            (vec![url("3"), url("1-64")], "overlap"),
            (vec![url("8-2")], "empty"),
            (vec![url("0-2")], "from 1 to 64"),
            (vec![url("2-65")], "from 1 to 64"),
            (vec![url("two")], "a range of shards is expected"),
            (vec!["2-8".to_owned()], "RANGE=URL"),
            (vec!["2=mysql://ada:canary@db/ledger".to_owned()], "--shard-url: "),
        ] {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let said = servers(&texts).expect_err(says);
            assert!(said.contains(says) && !said.contains("canary"), "{said}");
        }
    }
}
