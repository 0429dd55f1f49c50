//! Sample files, each with the expected result: what every reader must accept, with all values, or refuse, at its place.

use std::fs;
use std::path::{Path, PathBuf};

use daybook_statement::preview::Preview;
use daybook_statement::{BankFile, Fault};
use serde_json::Value;

/// Samples whose names begin with `prefix`: path, content and expected result.
pub(crate) fn samples(prefix: &str) -> Vec<(PathBuf, Vec<u8>, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let all = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut samples: Vec<_> = all
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
            name.starts_with(prefix) && path.extension().is_none_or(|end| end != "json")
        })
        .map(|path| {
            let expected = fs::read(format!("{}.expect.json", path.display())).expect("an expected result");
            let content = fs::read(&path).expect("is read");
            (path, content, serde_json::from_slice(&expected).expect("JSON"))
        })
        .collect();
    samples.sort_by(|one, other| one.0.cmp(&other.0));
    samples
}

/// Compares one sample with its result.
pub(crate) fn check(name: &Path, expected: &Value, read: Result<BankFile, Fault>) {
    let name = name.display();
    match (expected["verdict"].as_str(), read) {
        (Some("accepted"), Ok(file)) => {
            let preview = serde_json::to_value(Preview::from(&file)).expect("is JSON");
            for key in ["format", "statements", "lines", "books"] {
                assert!(covers(&expected[key], &preview[key]), "{name}: {key}: {preview:#}");
            }
        }
        (Some("refused"), Err(fault)) => {
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let of = |key: &str| expected["fault"].get(key).map(text);
            assert_eq!(Some(fault.record.clone()), of("record"), "{name}: {fault}");
            assert_eq!(Some(fault.field.clone()), of("field"), "{name}: {fault}");
            if let Some(line) = of("line") {
                assert_eq!(fault.line.to_string(), line, "{name}: {fault}");
            }
            if let Some(expected) = of("expected") {
                assert_eq!(fault.expected, Some(expected), "{name}: {fault}");
            }
            if let Some(found) = of("found") {
                assert_eq!(fault.found, Some(found), "{name}: {fault}");
            }
        }
        (verdict, read) => panic!("{name}: {verdict:?}, {read:?}"),
    }
}

/// True if `actual` has everything of `expected`. Values beyond it are allowed in maps only.
fn covers(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            expected.iter().all(|(key, value)| actual.get(key).is_some_and(|actual| covers(value, actual)))
        }
        (Value::Array(expected), Value::Array(actual)) => {
            expected.len() == actual.len()
                && expected.iter().zip(actual).all(|(expected, actual)| covers(expected, actual))
        }
        _ => expected == actual,
    }
}
