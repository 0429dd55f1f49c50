//! TLS settings of a connection string, and the security that follows from them and from the addresses of the hosts.
//!
//! The driver does not know all of PostgreSQL's values, so `sslmode` and `sslrootcert` are removed from the text before
//! the driver parses it. The default is determined here: a connection to another machine is encrypted, unless the
//! operator asks for plain text.

use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use tokio_postgres::config::Host;

use crate::Error;

/// TLS settings of a connection string, and the text without them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ParsedSecurity {
    pub(super) rest: String,
    mode: Option<Mode>,
    root: Option<PathBuf>,
}

/// Values of PostgreSQL's `sslmode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Disable,
    Allow,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

/// Security of connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Security {
    /// Plain text.
    Plain,
    /// Encrypted. The server is not authenticated.
    Encrypted,
    /// Encrypted, with a server whose certificate is signed by an authority in the file `root`, or by a public
    /// authority without a file. If `name` is true, the certificate has to be for the server's name.
    Verified { root: Option<PathBuf>, name: bool },
}

impl ParsedSecurity {
    /// Parses a connection URL or a key/value string.
    pub(super) fn of(text: &str) -> Result<Self, Error> {
        let is_url = ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme));
        if is_url { Self::of_url(text) } else { Self::of_pairs(text) }
    }

    fn of_url(text: &str) -> Result<Self, Error> {
        // A password may contain a question mark; the driver parses it in the same way.
        let host = text.find('@').unwrap_or_default();
        let Some(query) = text[host..].find('?').map(|at| host + at) else {
            return Ok(Self { rest: text.to_owned(), ..Self::default() });
        };
        let mut said = Self::default();
        let mut kept = Vec::new();
        for pair in text[query + 1..].split('&') {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            if !said.take(key, &percent_decode_str(value).decode_utf8_lossy())? {
                kept.push(pair);
            }
        }
        text[..query].clone_into(&mut said.rest);
        if !kept.is_empty() {
            said.rest.push('?');
            said.rest.push_str(&kept.join("&"));
        }
        Ok(said)
    }

    fn of_pairs(text: &str) -> Result<Self, Error> {
        let mut said = Self::default();
        let mut left = text;
        while let Some((pair, key, value, after)) = next_pair(left) {
            if !said.take(key, &value)? {
                said.rest.push_str(pair);
            }
            left = after;
        }
        said.rest.push_str(left);
        Ok(said)
    }

    /// Takes `key` and returns true if it is a TLS setting; returns false otherwise.
    fn take(&mut self, key: &str, value: &str) -> Result<bool, Error> {
        match key {
            "sslmode" => self.mode = Some(value.parse()?),
            "sslrootcert" => self.root = Some(PathBuf::from(value)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns the security with which the hosts of `config` are reached.
    pub(super) fn security(self, config: &tokio_postgres::Config) -> Security {
        let verified = |name| Security::Verified { root: self.root.clone(), name };
        match self.mode {
            Some(Mode::Disable) => Security::Plain,
            Some(Mode::VerifyFull) => verified(true),
            Some(Mode::VerifyCa) => verified(false),
            Some(Mode::Require) if self.root.is_some() => verified(false),
            Some(Mode::Require) => Security::Encrypted,
            None | Some(Mode::Allow | Mode::Prefer) if self.root.is_some() => verified(true),
            None | Some(Mode::Allow | Mode::Prefer) if is_local(config) => Security::Plain,
            None | Some(Mode::Allow | Mode::Prefer) => Security::Encrypted,
        }
    }
}

impl FromStr for Mode {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Ok(match text {
            "disable" => Self::Disable,
            "allow" => Self::Allow,
            "prefer" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" => Self::VerifyFull,
            _ => {
                return Err(Error::Config(
                    "sslmode: disable, require, verify-ca or verify-full is expected".into(),
                ));
            }
        })
    }
}

/// Returns true if no data leave this machine, whichever of the hosts is used.
fn is_local(config: &tokio_postgres::Config) -> bool {
    let is_loopback = |address: &IpAddr| address.to_canonical().is_loopback();
    // Addresses are given besides the names, which are then not looked up.
    if !config.get_hostaddrs().is_empty() {
        return config.get_hostaddrs().iter().all(is_loopback);
    }
    config.get_hosts().iter().all(|host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => name == "localhost" || name.parse().is_ok_and(|address| is_loopback(&address)),
    })
}

/// Returns the first `key = value` of `text` as written, its two halves, and the rest of the text. Returns `None` if
/// there is none, or if it is malformed, which the driver reports.
fn next_pair(text: &str) -> Option<(&str, &str, String, &str)> {
    let from = text.len() - text.trim_start().len();
    let equals = from + text[from..].find('=')?;
    let key = text[from..equals].trim_end();
    let mut at = equals + 1;
    at += text[at..].len() - text[at..].trim_start().len();
    let is_quoted = text[at..].starts_with('\'');
    at += usize::from(is_quoted);
    let (mut value, mut characters) = (String::new(), text[at..].char_indices());
    let mut end = text.len();
    while let Some((offset, character)) = characters.next() {
        match character {
            '\\' => value.push(characters.next()?.1),
            '\'' if is_quoted => {
                end = at + offset + 1;
                break;
            }
            blank if !is_quoted && blank.is_whitespace() => {
                end = at + offset;
                break;
            }
            other => value.push(other),
        }
    }
    Some((&text[..end], key, value, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn security(text: &str) -> Security {
        let said = ParsedSecurity::of(text).expect("it says what there is");
        let config = said.rest.parse().unwrap_or_else(|error| panic!("{}: {error}", said.rest));
        said.security(&config)
    }

    fn verified(root: Option<&str>, name: bool) -> Security {
        Security::Verified { root: root.map(PathBuf::from), name }
    }

    #[test]
    fn remote_hosts_are_encrypted_by_default() {
        use Security::{Encrypted, Plain};
        for (text, expected) in [
            ("postgres://db/ledger", Encrypted),
            ("postgres://db/ledger?sslmode=prefer", Encrypted),
            ("postgres://db/ledger?sslmode=allow", Encrypted),
            ("postgres://db/ledger?sslmode=require", Encrypted),
            ("postgres://db/ledger?sslmode=disable", Plain),
            ("postgres://127.0.0.1,db/ledger", Encrypted),
            ("postgres://10.0.0.1/ledger", Encrypted),
            ("host=db dbname=ledger", Encrypted),
            ("host=localhost hostaddr=10.0.0.1", Encrypted),
            ("postgres://localhost/ledger", Plain),
            ("postgres://127.0.0.1,[::1]:5433/ledger", Plain),
            ("postgres://%2Frun%2Fpostgresql/ledger", Plain),
            ("host=/run/postgresql user=x", Plain),
            ("host=db hostaddr=127.0.0.1", Plain),
            ("postgres://localhost/ledger?sslmode=require", Encrypted),
        ] {
            assert_eq!(security(text), expected, "{text}");
        }
    }

    #[test]
    fn named_authority_implies_verification() {
        for (text, expected) in [
            ("postgres://db/l?sslmode=verify-full", verified(None, true)),
            (
                "postgres://db/l?sslmode=verify-full&sslrootcert=%2Fa%20b.pem",
                verified(Some("/a b.pem"), true),
            ),
            ("postgres://db/l?sslrootcert=/a.pem&connect_timeout=2", verified(Some("/a.pem"), true)),
            ("postgres://db/l?sslmode=require&sslrootcert=/a.pem", verified(Some("/a.pem"), false)),
            (
                r"host=db sslmode = verify-ca sslrootcert='/a \'b.pem' user=x",
                verified(Some("/a 'b.pem"), false),
            ),
            ("postgres://localhost/l?sslrootcert=/a.pem", verified(Some("/a.pem"), true)),
        ] {
            assert_eq!(security(text), expected, "{text}");
        }
    }

    #[test]
    fn rest_of_the_text_is_unchanged() {
        for (text, rest) in [
            (
                "postgres://a:p?w@db/l?sslmode=require&options=-c%20x%3D1",
                "postgres://a:p?w@db/l?options=-c%20x%3D1",
            ),
            ("postgres://a:p?w@db/l", "postgres://a:p?w@db/l"),
            ("postgres://db/l?sslmode=disable", "postgres://db/l"),
            (r"host=db sslmode=require password='a \' b' user=x", r"host=db password='a \' b' user=x"),
            ("host=db password= user=x", "host=db password= user=x"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(ParsedSecurity::of(text).expect("it says what there is").rest, rest);
        }
        assert!(matches!(ParsedSecurity::of("host=db sslmode=maybe"), Err(Error::Config(_))));
    }
}
