//! Golden files: the exact bytes of one example of every event, per type and version. A stored event must be readable
//! for ever, so a file here changes only on purpose: `DAYBOOK_BLESS=1 cargo test -p daybook-tests golden`. The files of
//! older versions are never rewritten. Their upcast form is in a folder of its own.

#![allow(clippy::panic, reason = "a test fails by panicking")]

mod database;
mod examples;
mod history;
mod http;
mod names;
mod operators;
mod places;
mod rails;
mod webhooks;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use daybook_domain::Event;
use daybook_domain::event::Schema;
use examples::{examples, further_examples};

pub(crate) fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

fn folder() -> PathBuf {
    golden().join("events")
}

/// Returns true if golden files are to be written instead of compared.
fn blesses() -> bool {
    std::env::var_os("DAYBOOK_BLESS").is_some_and(|bless| bless == "1")
}

/// Compares `bytes` with the golden file, or writes the file if [`blesses`] is true.
pub(crate) fn check(path: &Path, bytes: &[u8]) {
    if blesses() {
        fs::create_dir_all(path.parent().expect("in a folder")).expect("folder");
        fs::write(path, bytes).expect("written");
    }
    let golden = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}; bless it?", path.display()));
    assert_eq!(String::from_utf8_lossy(bytes), String::from_utf8_lossy(&golden), "{}", path.display());
}

/// One example of every event. For an event without an example, its first occurrence in the golden history.
async fn all_examples() -> BTreeMap<Schema, Event> {
    let mut all: BTreeMap<Schema, Event> =
        examples().into_iter().map(|event| (event.schema(), event)).collect();
    for event in history::events().await {
        all.entry(event.schema()).or_insert(event);
    }
    all
}

#[tokio::test]
async fn every_event_matches_its_golden_file() {
    let names: BTreeMap<Schema, &str> = Event::schemas().collect();
    let examples = all_examples().await;
    assert!(examples.keys().eq(names.keys()), "an event has no example");
    let first = examples.into_values().map(|event| (None, event));
    let further = further_examples().into_iter().chain(places::further_examples());
    let further = further.map(|(label, event)| (Some(label), event));
    for (label, event) in first.chain(further) {
        let encoded = event.encode().expect("encodes");
        let label = label.map(|label| format!(".{label}")).unwrap_or_default();
        let file = format!("v{}{label}.json", encoded.schema.version);
        let path = folder().join(names[&encoded.schema]).join(file);
        check(&path, &encoded.data);
        let golden = fs::read(&path).expect("just compared");
        let read = Event::decode(encoded.schema, &golden, encoded.sealed.as_ref()).expect("decodes");
        assert_eq!(read, event, "{}", path.display());
    }
}

#[test]
fn event_type_numbers_never_change() {
    let known: BTreeMap<_, _> = Event::outdated().chain(Event::schemas()).collect();
    let line =
        |(schema, name): (&Schema, &&str)| format!("{} v{} {name}\n", schema.event_type, schema.version);
    check(&folder().join("types.txt"), known.iter().map(line).collect::<String>().as_bytes());
}

/// Golden files of all events: name of the folder, version, and path.
fn files() -> Vec<(String, i16, PathBuf)> {
    let mut files = vec![];
    for entry in fs::read_dir(folder()).expect("golden files") {
        let folder = entry.expect("entry").path();
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        for file in fs::read_dir(&folder).into_iter().flatten() {
            let path = file.expect("entry").path();
            let version = version_of(&path).expect("v<N>.json, or v<N>.<which>.json");
            files.push((name.clone(), version, path));
        }
    }
    files
}

fn version_of(path: &Path) -> Option<i16> {
    path.file_name()?.to_str()?.strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[test]
fn event_versions_and_golden_files_correspond() {
    let files: BTreeSet<_> = files().into_iter().map(|(name, version, _)| (name, version)).collect();
    let known = Event::schemas().chain(Event::outdated());
    let known: BTreeSet<_> = known.map(|(schema, name)| (name.to_owned(), schema.version)).collect();
    let odd: Vec<_> = files.symmetric_difference(&known).collect();
    assert!(odd.is_empty(), "without a file, or a file that nothing reads: {odd:?}");
}

/// Upcasts every older golden file and compares the result with the file of the same name in `tests/golden/upcast/`.
#[test]
fn older_event_versions_upcast_as_recorded() {
    let types: BTreeMap<_, _> = Event::schemas().map(|(schema, name)| (name, schema)).collect();
    let mut read = 0;
    for (name, version, path) in files() {
        let Schema { event_type, version: current } = types[name.as_str()];
        if version == current {
            continue;
        }
        let sealed = examples::sealed();
        let schema = Schema { event_type, version };
        let event = Event::decode(schema, &fs::read(&path).expect("bytes"), Some(&sealed)).expect("decodes");
        let encoded = event.encode().expect("encodes");
        assert_eq!(encoded.schema, types[name.as_str()]);
        let today = golden().join("upcast").join(&name).join(path.file_name().expect("a name"));
        check(&today, &encoded.data);
        let again = Event::decode(encoded.schema, &encoded.data, encoded.sealed.as_ref()).expect("decodes");
        assert_eq!(again, event);
        read += 1;
    }
    assert!(read >= Event::outdated().count());
}
