//! Everything that is kept in `tests/fuzz/corpus` holds, and each target is a target of the fuzzer, too.
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
fn what_is_kept_holds() {
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
fn the_kept_bundle_is_proved_and_with_one_changed_bit_of_a_line_it_is_not() {
    let real = fs::read(fuzz("corpus/bundle/sandbox")).unwrap();
    assert!(bundle::is_proved(&real));
    assert!(bundle::is_proved_with(&real, b""));
    let frame = zstd::bulk::compress(b"{}\n", 1).unwrap();
    for tail in [&b"tail"[..], &frame] {
        assert!(!bundle::is_proved_with(&real, tail), "what is behind a frame was not looked at");
    }
    let lines = real.iter().position(|byte| *byte == 0).unwrap() + 1;
    // What is sealed is covered by its hash alone, and may be gone.
    for at in (lines..real.len()).step_by(97) {
        let mut changed = real.clone();
        changed[at] ^= 1;
        assert!(!bundle::is_proved(&changed), "byte {at}");
    }
}

#[test]
fn every_target_is_one_of_the_fuzzers() {
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

/// Name and version of every package of a lock file that comes from elsewhere.
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
fn what_is_fuzzed_is_what_is_built() {
    let (fuzzed, built) = (locked("Cargo.lock"), locked("../../Cargo.lock"));
    let others: Vec<&str> = fuzzed.difference(&built).map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        others,
        ["arbitrary", "libfuzzer-sys"],
        "copy Cargo.lock to tests/fuzz and let cargo add these"
    );
}
