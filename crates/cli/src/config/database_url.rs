//! Connection string of a database. It may contain a password.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use daybook_pg::Config;

use crate::error::Error;

/// Examples of valid connection strings.
const EXAMPLE: &str =
    "expected is postgres://USER@HOST/DATABASE?sslmode=verify-full, or host=HOST dbname=DATABASE user=USER";

/// A connection string in the form that psql takes. It is never printed.
#[derive(Clone)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// The text with its password, for connecting.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Parses the connection string of `--database-url`.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] that names the faulty part and quotes nothing else.
    pub fn config(&self) -> Result<Config, Error> {
        self.config_of("--database-url")
    }

    /// Parses the connection string of `option`.
    ///
    /// # Errors
    ///
    /// As [`DatabaseUrl::config`].
    pub fn config_of(&self, option: &str) -> Result<Config, Error> {
        let wrong = |error| match error {
            daybook_pg::Error::Config(what) => Error::Usage(format!("{option}: {what}; {EXAMPLE}")),
            other => other.into(),
        };
        Config::from_url(&self.0).map_err(wrong)
    }
}

impl FromStr for DatabaseUrl {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("DatabaseUrl(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::config::Cli;

    #[test]
    fn debug_output_never_shows_database_password() {
        let database = ["--database-url", "postgres://ledger:canary-7c1e@db/ledger"];
        for command in [
            &["serve", "--master-key", "master.key"][..],
            &["dev"],
            &["migrate"],
            &["operator", "list"],
            &["log", "stats"],
            &["ledger", "trial-balance"],
            &["vault", "rotate", "--new-master-key", "new.key"],
        ] {
            let asked = ["daybook"].iter().chain(command).chain(&database);
            let shown = format!("{:#?}", Cli::try_parse_from(asked).expect("a command line"));
            assert!(shown.contains("DatabaseUrl(redacted)"), "{shown}");
            assert!(!shown.contains("canary"), "{shown}");
        }
    }

    #[test]
    fn invalid_url_names_option_and_fault() {
        for (text, fault) in [
            ("postgres://ada:canary@db/ledger?ssl_mode=require", "ssl_mode"),
            ("postgres://ada:canary@db:port/ledger", "port"),
            ("mysql://ada:canary@db/ledger", "postgres://"),
            ("host=db password=canary sslmode=maybe", "sslmode"),
            ("postgres://ada:canary@db/ledger?sslrootcert=/nowhere.pem", "/nowhere.pem"),
        ] {
            let url: DatabaseUrl = text.parse().unwrap();
            let said = url.config().err().map(|error| error.to_string()).unwrap_or_default();
            assert!(said.starts_with("--database-url: ") && said.contains(fault), "{text}: {said}");
            assert!(said.contains("postgres://USER@HOST/DATABASE") && !said.contains("canary"), "{said}");
        }
    }
}
