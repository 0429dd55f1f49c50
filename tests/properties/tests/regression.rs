//! Checks all properties on the files of `tests/fuzz/corpus`, and that each target is also a target of the fuzzer.
#![allow(clippy::unwrap_used, reason = "a corpus that cannot be read is a failure")]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use daybook_properties::{TARGETS, bundle};

fn fuzz(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz")).join(path)
}

fn names(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(fuzz(folder)).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn corpus_satisfies_all_properties() {
    for (name, holds) in TARGETS {
        let kept = names(&format!("corpus/{name}"));
        assert!(!kept.is_empty(), "{name} has no corpus");
        for file in kept {
            println!("{name}/{file}");
            holds(&fs::read(fuzz(&format!("corpus/{name}/{file}"))).unwrap());
        }
    }
}

#[test]
fn bundle_proofs_detect_changed_bits() {
    let real = fs::read(fuzz("corpus/bundle/sandbox")).unwrap();
    assert!(bundle::is_proved(&real));
    assert!(bundle::is_proved_with(&real, b""));
    let frame = zstd::bulk::compress(b"{}\n", 1).unwrap();
    for tail in [&b"tail"[..], &frame] {
        assert!(!bundle::is_proved_with(&real, tail), "data after the frame were ignored");
    }
    let lines = real.iter().position(|byte| *byte == 0).unwrap() + 1;
    // Sealed fields are covered by their hash only, and may be removed.
    for at in (lines..real.len()).step_by(97) {
        let mut changed = real.clone();
        changed[at] ^= 1;
        assert!(!bundle::is_proved(&changed), "byte {at}");
    }
}

#[test]
fn fuzzer_has_every_target() {
    let here: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names("corpus"), here);
    let sources: BTreeSet<String> = here.iter().map(|name| format!("{name}.rs")).collect();
    assert_eq!(names("targets"), sources);
    let manifest = fs::read_to_string(fuzz("Cargo.toml")).unwrap();
    for name in here {
        assert!(manifest.contains(&format!("name = \"{name}\"\npath = \"targets/{name}.rs\"")), "{name}");
        let source = fs::read_to_string(fuzz(&format!("targets/{name}.rs"))).unwrap();
        assert!(source.contains(&format!("daybook_properties::{name}::holds(data)")), "{name}");
    }
}

/// Returns name and version of every external package in a lock file.
fn locked(file: &str) -> BTreeSet<(String, String)> {
    let text = fs::read_to_string(fuzz(file)).unwrap();
    let value = |package: &str, key: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""))?;
        Some(line.trim_end_matches('"').to_owned())
    };
    let packages = text.split("[[package]]").filter(|package| package.contains("\nsource = "));
    packages.filter_map(|package| Some((value(package, "name")?, value(package, "version")?))).collect()
}

#[test]
fn fuzzed_dependencies_are_those_of_build() {
    let (fuzzed, built) = (locked("Cargo.lock"), locked("../../Cargo.lock"));
    let others: Vec<&str> = fuzzed.difference(&built).map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        others,
        ["arbitrary", "libfuzzer-sys"],
        "copy Cargo.lock to tests/fuzz and let cargo add these"
    );
}
