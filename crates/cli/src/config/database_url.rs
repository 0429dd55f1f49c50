//! The connection string of a database, which may hold a password.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

/// A connection string, as psql takes it; never printed.
#[derive(Clone)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// The text, password and all: for whoever connects.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
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
}
