//! Files as banks send them (`samples/`), each with `NAME.expect.json`: the values that the reader must give, or the
//! place at which it must refuse the file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{Content, Entry, FileTotals, ReturnFile};
use crate::rails::file::EntryDirection;

/// Record and field in the words of the samples, and in those of the reader.
const NAMES: [(&str, &str, &str, &str); 3] = [
    ("8", "entry hash", "batch control", "hash of the routing numbers"),
    ("9", "total credit", "file control", "total of credits"),
    ("end of file", "record type", "file control", "record"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rails/ach/samples")
}

/// Samples by name: text of the file, and its expected values.
fn samples() -> BTreeMap<String, (String, Value)> {
    let names = fs::read_dir(folder()).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let names = names.map(|name| name.into_string().expect("a name"));
    names
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "ach"))
        .map(|name| {
            let text = fs::read_to_string(folder().join(&name)).expect("a file");
            let expected = fs::read(folder().join(format!("{name}.expect.json"))).expect("expected values");
            (name, (text, serde_json::from_slice(&expected).expect("JSON")))
        })
        .collect()
}

/// Formats an entry in the words of the samples.
fn said(entry: &Entry) -> Value {
    let direction = match entry.direction {
        EntryDirection::Pull => "debit",
        EntryDirection::Push => "credit",
    };
    let mut said = Map::new();
    let mut say = |name: &str, value: Value| said.insert(name.into(), value);
    say("trace", json!(entry.trace));
    say("amount", json!(entry.amount_minor));
    say("direction", json!(direction));
    say("line", json!(entry.line));
    say("code", json!(entry.code));
    match &entry.content {
        Content::Returned(code) => {
            assert_eq!(code.to_string(), entry.code);
            say("kind", json!("return"));
        }
        Content::Changed(_, Ok(correction)) => {
            say("kind", json!("change"));
            say("corrected", json!(correction.text));
        }
        Content::Dishonored(_, Ok(dishonored)) => {
            let returned = &dishonored.returned;
            say("kind", json!("dishonored"));
            say("return_trace", json!(returned.trace));
            say("return_settlement_day", json!(returned.settlement_day.map(|day| format!("{day:03}"))));
            say("return_code", json!(returned.code));
            if !dishonored.info.is_empty() {
                say("info", json!(dishonored.info));
            }
        }
        content => {
            say("kind", json!(format!("{content:?}")));
        }
    }
    Value::Object(said)
}

fn totals(totals: FileTotals) -> Value {
    json!({
        "debit": totals.debit_minor,
        "credit": totals.credit_minor,
        "entries_and_addenda": totals.entries_and_addenda,
        "batches": totals.batches,
    })
}

#[test]
fn accepted_samples_give_expected_values() {
    let mut count = 0;
    for (name, (text, expected)) in samples().iter().filter(|(_, (_, it))| it["verdict"] == "accepted") {
        let file = ReturnFile::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let entries: Vec<_> = file.entries.iter().map(said).collect();
        assert_eq!(json!(entries), expected["entries"], "{name}");
        assert_eq!(totals(file.totals), expected["totals"], "{name}");
        count += 1;
    }
    assert_eq!(count, 3);
}

/// Line endings, fill records and blank lines of a sample may vary; line numbers then stay, unless there are no lines.
#[test]
fn respelled_samples_give_same_values() {
    for (name, (text, _)) in samples().iter().filter(|(_, (_, it))| it["verdict"] == "accepted") {
        let expected = ReturnFile::parse(text).expect("a file");
        let lines: Vec<&str> = text.lines().collect();
        let needed: Vec<&str> = lines.iter().copied().filter(|line| !line.starts_with("99")).collect();
        let spelled = [
            lines.join("\n"),
            lines.join("\r\n"),
            lines.join("\r"),
            lines.concat(),
            needed.join("\n"),
            needed.join("\r\n") + "\r\n",
            needed.concat(),
            lines.join("\n") + "\n\n",
            lines.join("\r\n") + "\r\n \r\n",
        ];
        for text in spelled {
            assert_eq!(ReturnFile::parse(&text).as_ref(), Ok(&expected), "{name} {text:?}");
        }
    }
}

/// A code that is newer than the list does not refuse the file (ADR 78). Its entry is reported at the line of the code,
/// and the sample is compared with this report.
#[test]
fn unknown_code_is_reported_not_refused() {
    let (text, expected) = &samples()["nacha-bad-code.ach"];
    let file = ReturnFile::parse(text).expect("a file");
    let [entry] = &file.entries[..] else { panic!("one entry") };
    assert_eq!(entry.content, Content::UnknownCode);
    let fault = &expected["fault"];
    assert_eq!((json!(entry.code_line), json!(entry.code)), (fault["line"].clone(), fault["found"].clone()));
}

#[test]
fn bad_samples_are_refused_in_place() {
    let mut count = 0;
    for (name, (text, expected)) in samples().iter().filter(|(_, (_, it))| it["verdict"] == "refused") {
        if name == "nacha-bad-code.ach" {
            continue;
        }
        let error = ReturnFile::parse(text).expect_err(name);
        let fault = &expected["fault"];
        let names =
            NAMES.iter().find(|(record, field, ..)| fault["record"] == *record && fault["field"] == *field);
        let &(.., record, field) = names.expect("names");
        assert_eq!((error.record, error.field), (record, field), "{name}");
        assert_eq!(json!(error.line), fault["line"], "{name}");
        let number = |text: &str| json!(text.trim_matches('"').parse::<u64>().ok());
        assert_eq!(number(&error.expected), fault["expected"], "{name}");
        assert_eq!(number(&error.found), fault["found"], "{name}");
        count += 1;
    }
    assert_eq!(count, 3);
}

/// Every single wrong digit of a count, hash or total is refused, or leaves the amounts as they are.
#[test]
fn damaged_sample_never_changes_an_amount() {
    let amounts = |file: ReturnFile| file.entries.iter().map(|entry| entry.amount_minor).collect::<Vec<_>>();
    for (name, (text, _)) in samples().iter().filter(|(_, (_, it))| it["verdict"] == "accepted") {
        let expected = ReturnFile::parse(text).map(amounts);
        for place in 0..text.len() {
            for new in [b'0', b'7', b' ', b'A', b'\n', 0x7f] {
                let mut bytes = text.clone().into_bytes();
                bytes[place] = new;
                let found = ReturnFile::parse(&String::from_utf8(bytes).expect("ASCII")).map(amounts);
                assert!(found.is_err() || found == expected, "{name} {place} {new}");
            }
        }
    }
}
