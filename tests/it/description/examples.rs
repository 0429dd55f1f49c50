//! Examples of the description: the golden calls, with concrete values in place of the placeholders. `DAYBOOK_BLESS=1`
//! writes them to `crates/api/src/description/examples.json`.

use std::collections::BTreeSet;
use std::fs;

use hex::encode;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::architecture::root;
use crate::golden::{check, golden};
use crate::routes::ROUTES;

/// Start time of the golden calls, in milliseconds: 1 January 2026.
const BEGINNING_MS: u64 = 1_767_225_600_000;

/// Placeholders that are always replaced by the same value.
const FIXED: [(&str, &str); 7] = [
    ("HOST", "127.0.0.1:8080"),
    ("DURATION", "12"),
    ("{today}", "2026-01-01"),
    ("{month}", "2026-01"),
    ("TIME", "2026-01-01T00:00:01.000Z"),
    (
        "SIGNATURE",
        "w0sRxb2sAVZ1eQb5vJw8uvPIgPLTHqYt0Js0cVq4m8dKX2u9d4mG3cTq0m1yE7pYc6h5m2r8n0b4v7x1z3k9ljh2WQ==",
    ),
    ("HASH", "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="),
];

/// Kinds of numbered placeholders, such as `time-3`.
const COUNTED: [&str; 6] = ["time", "number", "id", "hash", "uuid", "token"];

/// A golden call with concrete values.
fn valued(golden: &str) -> Value {
    let text = FIXED.iter().fold(golden.to_owned(), |text, (name, value)| text.replace(name, value));
    let named = names(&text).into_iter().fold(text.clone(), |text, name| {
        let value = if name == "key" { token("oauth", &name) } else { stands_for(&name) };
        text.replace(&format!("{{{name}}}"), &value)
    });
    serde_json::from_str(&counted(&named)).unwrap_or_else(|error| panic!("{error} in {named}"))
}

/// Names in braces that are placeholders and not JSON.
fn names(text: &str) -> BTreeSet<String> {
    let inside = text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
    let is_name =
        |name: &&str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    inside.filter(is_name).map(str::to_owned).collect()
}

/// Value for a placeholder: a token for `refresh_token`, an id for any other name.
fn stands_for(name: &str) -> String {
    if name == "refresh_token" { token("refresh", name) } else { ulid(name) }
}

/// Replaces each numbered placeholder of `text`.
fn counted(text: &str) -> String {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let (mut told, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len()).max(first.len_utf8());
        let (word, after) = rest.split_at(length);
        // A value in microseconds has six more digits.
        let digits = if told.ends_with("_us\": ") && word.starts_with("number") { "000000" } else { "" };
        told += &value(word).unwrap_or_else(|| word.to_owned());
        told += digits;
        rest = after;
    }
    told
}

fn value(word: &str) -> Option<String> {
    let (kind, count) = word.split_once('-')?;
    let number: u64 = count.parse().ok().filter(|_| COUNTED.contains(&kind))?;
    Some(match kind {
        "time" => (BEGINNING_MS + number * 1_000).to_string(),
        "number" => (BEGINNING_MS / 1_000 + number).to_string(),
        "id" => ulid(word),
        "hash" => encode(Sha256::digest(word)),
        "uuid" => uuid::Builder::from_random_bytes(bytes(word)).into_uuid().to_string(),
        _ => token("refresh", word),
    })
}

fn bytes(name: &str) -> [u8; 16] {
    let digest = Sha256::digest(name);
    std::array::from_fn(|index| digest[index])
}

/// An id from the day of [`BEGINNING_MS`].
fn ulid(name: &str) -> String {
    let random = u128::from_be_bytes(bytes(name)) >> 48;
    let id = (u128::from(BEGINNING_MS) << 80) | random;
    daybook_domain::UserId::from_u128(id).to_string()
}

fn token(kind: &str, name: &str) -> String {
    format!("{kind}_{}", encode(Sha256::digest(name)))
}

/// Body of a golden call. A list of lines is a text.
fn body(told: &Value) -> Value {
    match &told["body"] {
        // A binary body is recorded by its length only.
        Value::Array(lines) if lines[0].as_str().is_some_and(|line| line.ends_with(" BYTES")) => Value::Null,
        Value::Array(lines) => {
            let lines: Vec<_> = lines.iter().map(|line| line.as_str().expect("a line")).collect();
            json!(lines.join("\n") + "\n")
        }
        body => body.clone(),
    }
}

#[test]
fn description_examples_are_the_golden_calls() {
    let example = |name: &&'static str| {
        let path = golden().join(format!("http/{name}.json"));
        let golden = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let call = valued(&golden);
        json!({"request": body(&call["request"]), "answer": body(&call["answer"])})
    };
    let names = ROUTES.iter().map(|route| route.name);
    let all: Map<String, Value> = names.map(|name| (name.to_owned(), example(&name))).collect();
    let text = serde_json::to_string_pretty(&all).expect("JSON") + "\n";
    check(&root().join("crates/api/src/description/examples.json"), text.as_bytes());
}
