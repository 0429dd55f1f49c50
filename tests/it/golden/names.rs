//! Names for values that differ in each run: ids, times, tokens. Equal values have equal names.

use std::collections::BTreeMap;

use crate::town::Ids;

/// Number of characters of a UUID.
const UUID: usize = 36;

/// The names given so far.
pub(super) struct Names<'a> {
    /// Values that the scenario knows by a name of its own.
    known: &'a Ids,
    given: BTreeMap<String, String>,
    counts: BTreeMap<&'static str, usize>,
}

impl<'a> Names<'a> {
    pub(super) fn new(known: &'a Ids) -> Self {
        Self { known, given: BTreeMap::new(), counts: BTreeMap::new() }
    }

    /// Replaces the values in `text` by names.
    pub(super) fn name(&mut self, text: &str) -> String {
        let mut named = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = token(rest).unwrap_or_else(|| word(rest)).max(first.len_utf8());
            let (value, after) = rest.split_at(length);
            named += &self.of(value);
            rest = after;
        }
        named
    }

    fn of(&mut self, value: &str) -> String {
        let Some(kind) = kind(value) else { return value.to_owned() };
        if let Some((name, _)) = self.known.iter().find(|(_, known)| *known == value) {
            return format!("{{{name}}}");
        }
        let count = self.counts.entry(kind).or_default();
        let name = self.given.entry(value.to_owned()).or_insert_with(|| {
            *count += 1;
            format!("{kind}-{count}")
        });
        name.clone()
    }
}

/// Replaces hashes and signatures in base64, which depend on all other values.
pub(super) fn without_hashes(text: &str) -> String {
    // An escape does not belong to the text after it.
    text.split("\\n").map(hashless).collect::<Vec<_>>().join("\\n")
}

/// Replaces the durations of calls.
pub(super) fn without_durations(text: &str) -> String {
    let mut parts = text.split("\"took_ms\":");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |told, rest| {
        told + "\"took_ms\":DURATION" + rest.trim_start_matches(|digit: char| digit.is_ascii_digit())
    })
}

fn hashless(text: &str) -> String {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || ['+', '/', '='].contains(&letter);
    let (mut told, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len()).max(first.len_utf8());
        let (word, after) = rest.split_at(length);
        told += match (word.len(), word.ends_with('=')) {
            (44, true) => "HASH",
            (92, true) => "SIGNATURE",
            _ => word,
        };
        rest = after;
    }
    told
}

/// Length of the letters and digits at the beginning of `text`.
fn word(text: &str) -> usize {
    text.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(text.len())
}

/// Length of the token at the beginning of `text`, if there is one.
fn token(text: &str) -> Option<usize> {
    let uuid = text.get(..UUID).filter(|uuid| uuid::Uuid::try_parse(uuid).is_ok());
    if let Some(uuid) = uuid {
        return Some(uuid.len());
    }
    let prefix = ["refresh_", "oauth_", "cursor_", "public_key_"]
        .into_iter()
        .find(|prefix| text.starts_with(prefix))?;
    let is_part = |letter: char| letter.is_ascii_hexdigit() || letter == '_';
    let length = text[prefix.len()..].find(|letter| !is_part(letter)).unwrap_or(text.len() - prefix.len());
    // A shorter text is the name of a field.
    (length >= 32).then_some(prefix.len() + length)
}

/// Kind of a value that differs in each run.
fn kind(value: &str) -> Option<&'static str> {
    let all = |is_it: fn(u8) -> bool| value.bytes().all(is_it);
    let is_ulid = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
    match value.len() {
        13 if all(|byte| byte.is_ascii_digit()) => Some("time"),
        10.. if all(|byte| byte.is_ascii_digit()) => Some("number"),
        26 if all(is_ulid) => Some("id"),
        64 if all(|byte| byte.is_ascii_hexdigit()) => Some("hash"),
        UUID if token(value) == Some(UUID) => Some("uuid"),
        _ if token(value) == Some(value.len()) => Some("token"),
        _ => None,
    }
}

#[test]
fn equal_values_get_equal_names() {
    let known = Ids::from([("user_id", "01M7YHNSQ5KBECQQTT2DBQD1X8".to_owned())]);
    let text = r#"{"_id":"01M7YHNSQ5KBECQQTT2DBQD1X8","a":1795247763189,"b":1795247763190,"c":1795247763189,"n":12.30,
        "operator":"operator_id_01M7YHSE08VB6KGW2RDD6SZV5E","refresh_token":"é"}"#;
    let named = r#"{"_id":"{user_id}","a":time-1,"b":time-2,"c":time-1,"n":12.30,
        "operator":"operator_id_id-1","refresh_token":"é"}"#;
    assert_eq!(Names::new(&known).name(text), named);
    let token = format!("refresh_99c4a067be_{}", "0af".repeat(20));
    assert_eq!(Names::new(&known).name(&format!("\"{token}|{token}x\"")), "\"token-1|token-1x\"");
}
