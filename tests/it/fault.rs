//! Failpoints and mutants: each failpoint is used, each mutant's patch applies, and no default build contains any.

use std::collections::BTreeSet;

use crate::architecture::root;
use crate::docs::files;

/// Quoted names after `before` in all sources of the crates except `fault`.
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

/// Names that a file of `crates/fault/src` declares, one per line.
fn declared(file: &str, before: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join("crates/fault/src").join(file)).expect("a file");
    let lines = text.lines().filter_map(|line| line.strip_prefix(before)?.split('"').next());
    lines.map(str::to_owned).collect()
}

#[test]
fn every_failpoint_is_used() {
    assert_eq!(asked("daybook_fault::point(\""), declared("failpoint.rs", "    \""));
}

/// Hunks of a unified diff: the file, and the lines before the change.
fn places(patch: &str) -> Vec<(String, String)> {
    let (mut file, mut found) = (String::new(), vec![]);
    for line in patch.lines() {
        if let Some(path) = line.strip_prefix("--- a/") {
            path.clone_into(&mut file);
        } else if line.starts_with("@@") {
            found.push((file.clone(), String::new()));
        } else if let (Some((_, text)), Some(old)) = (found.last_mut(), line.strip_prefix([' ', '-'])) {
            text.extend([old, "\n"]);
        }
    }
    found
}

/// Names and texts of the patches in a folder. Fails if one does not apply.
fn applicable(folder: &str) -> Vec<(String, String)> {
    let mut patches = vec![];
    for entry in std::fs::read_dir(root().join(folder)).expect("a folder") {
        let path = entry.expect("an entry").path();
        let patch = std::fs::read_to_string(&path).expect("UTF-8");
        let places = places(&patch);
        assert!(!places.is_empty(), "{}", path.display());
        for (file, old) in places {
            let text = std::fs::read_to_string(root().join(&file)).expect("a file");
            assert!(text.contains(&old), "{} does not fit {file}:\n{old}", path.display());
        }
        patches.push((path.file_stem().expect("a name").to_string_lossy().into_owned(), patch));
    }
    patches
}

#[test]
fn every_mutant_patch_applies() {
    let names: BTreeSet<String> =
        applicable("tests/torture/mutants").into_iter().map(|(name, _)| name).collect();
    let tortured =
        std::fs::read_to_string(root().join("tests/torture/src/commands/mutant.rs")).expect("a file");
    for name in &names {
        assert!(tortured.contains(&format!("\"{name}\"")), "{name} is not tortured");
    }
}

/// `tests/shards/mutants.sh` runs the test that a patch names.
#[test]
fn mutants_of_shards_name_their_test() {
    let reference = std::fs::read_to_string(root().join("docs/RELIABILITY.md")).expect("a page");
    for (name, patch) in applicable("tests/shards/mutants") {
        let test = patch.lines().find_map(|line| line.strip_prefix("Noticed by: ")).expect("a test");
        let (module, function) = test.rsplit_once("::").expect("a module");
        let file = root().join(format!("tests/it/{}.rs", module.replace("::", "/")));
        let text = std::fs::read_to_string(&file).expect("a file of tests");
        assert!(text.contains(&format!("fn {function}()")), "{name}: {test}");
        assert!(reference.contains(&format!("| `{name}` |")), "{name} is not in the reference");
    }
}

#[test]
fn default_build_has_no_failpoints() {
    for (path, text) in files("toml") {
        let name = path.display().to_string();
        let is_cli = name.ends_with("crates/cli/Cargo.toml");
        assert!(is_cli || !text.contains("daybook-fault/"), "{name}");
        let mut mentions = text.lines().filter(|line| line.starts_with("daybook-fault"));
        assert!(mentions.all(|line| !line.contains("features")), "{name}");
        assert!(!is_cli || !text.contains("\ndefault ="), "the binary has no default features");
    }
}
