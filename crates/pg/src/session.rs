//! Settings of a session: requested in the start-up packet, compared with the settings that hold, and set where they
//! differ.
//!
//! A connection pooler may drop the start-up packet's `options`. Without them a session would have all rights of the
//! login and no timeouts.

use tokio_postgres::Client;
use tokio_postgres::types::{ToSql, Type};

use crate::{Error, Pg};

/// Values of settings, in the order of their names.
const READ: &str = "select n.name, current_setting(n.name, true) as value
  from unnest($1::text[]) with ordinality n(name, place) order by n.place";

/// Sets them. Each has its own call, so the error names the first that the server refuses.
const SET: &str = "select set_config($1::text, $2::text, false)";

/// A setting and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Setting {
    name: String,
    value: String,
}

/// Makes the settings of `options`, as the start-up packet has them, hold in the session.
///
/// # Errors
///
/// Fails if the server refuses a setting; PostgreSQL's message names it.
pub(crate) async fn apply(client: &Client, options: &str) -> Result<(), tokio_postgres::Error> {
    let requested = parse(options);
    let names: Vec<&str> = requested.iter().map(|setting| setting.name.as_str()).collect();
    let rows = client.query_typed(READ, &[(&names, Type::TEXT_ARRAY)]).await?;
    for (setting, row) in requested.iter().zip(rows) {
        let value: Option<&str> = row.try_get("value")?;
        if value != Some(&setting.value) {
            tracing::debug!(
                setting.name,
                setting.value,
                value,
                "a setting of the session is set after connecting"
            );
            let parameters: [(&(dyn ToSql + Sync), Type); 2] =
                [(&setting.name, Type::TEXT), (&setting.value, Type::TEXT)];
            client.query_typed(SET, &parameters).await?;
        }
    }
    Ok(())
}

/// The settings in `options`: `-c name=value` and `--name=value`, with backslashes before spaces. The last of a name
/// counts.
fn parse(options: &str) -> Vec<Setting> {
    let mut settings: Vec<Setting> = vec![];
    let mut words = words(options).into_iter();
    while let Some(word) = words.next() {
        let assignment = match word.strip_prefix("-c").or_else(|| word.strip_prefix("--")) {
            Some("") => words.next(),
            Some(rest) => Some(rest.to_owned()),
            None => None,
        };
        let Some((name, value)) = assignment.as_deref().and_then(|text| text.split_once('=')) else {
            continue;
        };
        let setting = Setting { name: name.replace('-', "_"), value: value.to_owned() };
        settings.retain(|earlier| earlier.name != setting.name);
        settings.push(setting);
    }
    settings
}

/// Words of the start-up packet's `options`: separated by spaces, a backslash makes the next character a part of its
/// word.
fn words(options: &str) -> Vec<String> {
    let (mut words, mut word) = (vec![], None::<String>);
    let mut letters = options.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => word.get_or_insert_default().extend(letters.next()),
            _ if letter.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// Checks that `client` keeps its server process while another connection has a transaction open. A pooler in
/// transaction mode gives one process to both in turn: settings, prepared statements and locks of the session would be
/// another's.
///
/// # Errors
///
/// [`Error::Config`] if a pooler shares sessions.
pub(crate) async fn check_pooling(pg: &Pg, client: &Client) -> Result<(), Error> {
    let before = process(client).await?;
    let other = pg.dedicated().await?;
    other.batch_execute("begin").await?;
    let others = process(&other).await?;
    let after = process(client).await?;
    other.batch_execute("rollback").await?;
    if before == after && before != others {
        return Ok(());
    }
    let what =
        "a connection pooler gives one server process to several connections; set its pool_mode to session";
    Err(Error::Config(what.to_owned()))
}

/// Id of the server process that serves a connection.
async fn process(client: &Client) -> Result<i32, Error> {
    let rows = client.query_typed("select pg_backend_pid()", &[]).await?;
    let row = rows.first().ok_or_else(|| Error::Unavailable("no answer".to_owned()))?;
    Ok(row.try_get(0)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(options: &str) -> Vec<(String, String)> {
        parse(options).into_iter().map(|setting| (setting.name, setting.value)).collect()
    }

    fn expected<const N: usize>(settings: [(&str, &str); N]) -> Vec<(String, String)> {
        settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
    }

    #[test]
    fn options_are_read_as_postgresql_does() {
        let options = r"-c lock_timeout=2s -cstatement_timeout=5s  --idle-session-timeout=0 -c a=b\ c -c lock_timeout=3s -x";
        let settings = [
            ("statement_timeout", "5s"),
            ("idle_session_timeout", "0"),
            ("a", "b c"),
            ("lock_timeout", "3s"),
        ];
        assert_eq!(read(options), expected(settings));
    }

    #[test]
    fn last_value_counts_in_either_spelling() {
        for options in ["--lock-timeout=1 -c lock_timeout=2", "-c lock_timeout=1 --lock-timeout=2"] {
            assert_eq!(read(options), expected([("lock_timeout", "2")]));
        }
    }
}
