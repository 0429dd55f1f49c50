//! Settings of a session: requested in the start-up packet, compared with the settings that hold, and set where they
//! differ.
//!
//! A connection pooler may drop the start-up packet's `options`. Without them a session would have all rights of the
//! login and no timeouts.

use tokio_postgres::Client;
use tokio_postgres::types::Type;

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
/// If the server refuses a setting; PostgreSQL's message names it.
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
            let parameters: [(&(dyn tokio_postgres::types::ToSql + Sync), Type); 2] =
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
        settings.retain(|setting| setting.name != name);
        settings.push(Setting { name: name.replace('-', "_"), value: value.to_owned() });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_as_postgresql_does() {
        let options = r"-c lock_timeout=2s -cstatement_timeout=5s  --idle-session-timeout=0 -c a=b\ c -c lock_timeout=3s -x";
        let read: Vec<_> = parse(options).into_iter().map(|setting| (setting.name, setting.value)).collect();
        let expected = [
            ("statement_timeout", "5s"),
            ("idle_session_timeout", "0"),
            ("a", "b c"),
            ("lock_timeout", "3s"),
        ];
        assert_eq!(read, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
