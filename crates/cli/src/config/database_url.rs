//! The connection string of a database, which may hold a password.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use daybook_pg::Config;

use crate::error::Error;

/// Where a right connection string is shown.
const EXAMPLE: &str =
    "expected is postgres://USER@HOST/DATABASE?sslmode=verify-full, or host=HOST dbname=DATABASE user=USER";

/// A connection string, as psql takes it; never printed.
#[derive(Clone)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// The text, password and all: for whoever connects.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What it says.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] that names what is wrong, and shows nothing of the rest.
    pub fn config(&self) -> Result<Config, Error> {
        let wrong = |error| match error {
            daybook_pg::Error::Config(what) => Error::Usage(format!("--database-url: {what}; {EXAMPLE}")),
            other => other.into(),
        };
        Config::from_url(&self.0).map_err(wrong)
    }

    /// `error`, with the name of the server if it is about the way there.
    pub(crate) fn told(&self, error: Error) -> Error {
        match error {
            Error::Pg(daybook_pg::Error::Unavailable(why)) => {
                let place = Config::from_url(&self.0).map(|config| config.place()).unwrap_or_default();
                let why = format!("{place} of --database-url: {why}");
                Error::Pg(daybook_pg::Error::Unavailable(why))
            }
            other => other,
        }
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
    fn no_command_shows_the_password_of_its_database() {
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
    fn a_wrong_url_names_option_and_fault() {
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
