//! Failpoints and mutants: each name is asked for somewhere, and no default build has any of it.

use std::collections::BTreeSet;

use crate::architecture::root;
use crate::docs::files;

/// What stands in quotes after `before` in any source of a crate but `fault`.
fn asked(before: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (path, text) in files("rs") {
        let path = path.display().to_string();
        if path.contains("/crates/") && !path.contains("/crates/fault/") {
            let rest = text.split(before).skip(1);
            found.extend(rest.filter_map(|rest| Some(rest.split('"').next()?.to_owned())));
        }
    }
    found
}

/// The names that a file of `crates/fault/src` declares, one on a line.
fn declared(file: &str, before: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join("crates/fault/src").join(file)).expect("a file");
    let lines = text.lines().filter_map(|line| line.strip_prefix(before)?.split('"').next());
    lines.map(str::to_owned).collect()
}

#[test]
fn every_point_and_every_mutant_is_asked_for_somewhere() {
    assert_eq!(asked("daybook_fault::point(\""), declared("failpoint.rs", "    \""));
    assert_eq!(asked("daybook_fault::mutant(\""), declared("mutant.rs", "    (\""));
}

#[test]
fn no_default_build_has_any() {
    for (path, text) in files("toml") {
        let name = path.display().to_string();
        let is_cli = name.ends_with("crates/cli/Cargo.toml");
        assert!(is_cli || !text.contains("daybook-fault/"), "{name}");
        let mut mentions = text.lines().filter(|line| line.starts_with("daybook-fault"));
        assert!(mentions.all(|line| !line.contains("features")), "{name}");
        assert!(!is_cli || !text.contains("\ndefault ="), "the binary has no default features");
    }
}
