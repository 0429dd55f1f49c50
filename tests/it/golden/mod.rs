//! Golden files: the exact bytes of one example of every event, per type and version. What was stored once must be
//! readable for ever, so a file here changes only on purpose: `DAYBOOK_BLESS=1 cargo test -p daybook-tests golden`.

#![allow(clippy::panic, reason = "a test fails by panicking")]

mod examples;
mod history;
mod http;
mod names;
mod operators;
mod places;
mod rails;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use daybook_domain::Event;
use daybook_domain::event::Schema;
use examples::{examples, further_examples};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

fn folder() -> PathBuf {
    golden().join("events")
}

/// Whether golden files shall be written rather than compared.
fn blesses() -> bool {
    std::env::var_os("DAYBOOK_BLESS").is_some_and(|bless| bless == "1")
}

/// Compares `bytes` with the golden file, or writes it if that was asked for.
fn check(path: &Path, bytes: &[u8]) {
    if blesses() {
        fs::create_dir_all(path.parent().expect("in a folder")).expect("folder");
        fs::write(path, bytes).expect("written");
    }
    let golden = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}; bless it?", path.display()));
    assert_eq!(String::from_utf8_lossy(bytes), String::from_utf8_lossy(&golden), "{}", path.display());
}

#[test]
fn every_event_is_written_and_read_as_its_golden_file_says() {
    let names: BTreeMap<Schema, &str> = Event::schemas().collect();
    let examples = examples();
    let shown: BTreeSet<Schema> = examples.iter().map(|event| event.encode().schema).collect();
    assert!(shown.iter().eq(names.keys()), "an event has no example");
    let first = examples.into_iter().map(|event| (None, event));
    let further = further_examples().into_iter().chain(places::further_examples());
    let further = further.map(|(label, event)| (Some(label), event));
    for (label, event) in first.chain(further) {
        let encoded = event.encode();
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
fn the_numbers_of_the_types_are_kept() {
    let line = |(schema, name): (Schema, &str)| format!("{} v{} {name}\n", schema.event_type, schema.version);
    check(&folder().join("types.txt"), Event::schemas().map(line).collect::<String>().as_bytes());
}

fn version_of(path: &Path) -> Option<i16> {
    path.file_name()?.to_str()?.strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Those of older versions too, through their upcasters.
#[test]
fn every_file_that_was_ever_blessed_can_be_read() {
    let types: BTreeMap<_, _> = Event::schemas().map(|(schema, name)| (name, schema.event_type)).collect();
    let mut read = 0;
    for (name, event_type) in types {
        for file in fs::read_dir(folder().join(name)).expect("a folder per event") {
            let path = file.expect("entry").path();
            let version = version_of(&path);
            let schema = Schema { event_type, version: version.expect("v<N>.json, or v<N>.<which>.json") };
            let event = Event::decode(schema, &fs::read(&path).expect("bytes"), None);
            assert!(event.is_ok(), "{}: {event:?}", path.display());
            read += 1;
        }
    }
    assert!(read >= Event::schemas().count());
    let folders = fs::read_dir(folder())
        .expect("golden files")
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.path().is_dir()));
    assert_eq!(folders.count(), Event::schemas().count(), "a folder of an event that nobody knows");
}
