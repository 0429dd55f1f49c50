//! Dependencies: each one of a manifest is listed in `docs/reference/dependencies.md`, and none is older than its
//! minimum version there.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::architecture::root;

type Version = (u64, u64, u64);

fn version(text: &str) -> Version {
    let number = |part: Option<&str>| {
        let digits = part.unwrap_or_default().split(['-', '+']).next().unwrap_or_default();
        digits.parse().unwrap_or_else(|_| panic!("{text:?} is no version"))
    };
    let mut parts = text.splitn(3, '.');
    (number(parts.next()), number(parts.next()), number(parts.next()))
}

fn page() -> String {
    fs::read_to_string(root().join("docs/reference/dependencies.md")).expect("a page")
}

/// Rows of the page's tables: the crate and the text of the next column. The minimum versions follow the last heading.
fn rows(text: &str) -> Vec<(String, String)> {
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| `")?.split(" | ");
        Some((cells.next()?.trim_end_matches('`').to_owned(), cells.next()?.to_owned()))
    };
    text.lines().filter_map(row).collect()
}

/// Crate and minimum version, for each release line of a crate.
fn floors() -> Vec<(String, Version)> {
    let page = page();
    let (_, floors) = page.split_once("## Floors").expect("floors");
    rows(floors).into_iter().map(|(name, from)| (name, version(&from))).collect()
}

/// Name and version of every package in a lock file.
fn locked(lock: &str) -> Vec<(String, Version)> {
    let value = |package: &str, key: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""))?;
        Some(line.trim_end_matches('"').to_owned())
    };
    let packages = lock.split("[[package]]").skip(1);
    packages
        .filter_map(|package| Some((value(package, "name")?, version(&value(package, "version")?))))
        .collect()
}

/// Returns true if both versions belong to one release line, within which versions are compatible.
fn is_one_line(a: Version, b: Version) -> bool {
    if a.0 == 0 { (a.0, a.1) == (b.0, b.1) } else { a.0 == b.0 }
}

/// Packages of a lock file that are older than their minimum version.
fn too_old(lock: &str) -> Vec<String> {
    let floors = floors();
    let mut found = vec![];
    for (name, version) in locked(lock) {
        let mut of_it = floors.iter().filter(|(known, _)| *known == name).map(|(_, floor)| *floor).peekable();
        let Some(lowest) = of_it.peek().copied() else { continue };
        // A release line without a minimum version of its own is compared with the oldest one.
        let floor = of_it.find(|floor| is_one_line(*floor, version)).unwrap_or(lowest);
        if version < floor {
            found.push(format!("{name} {}.{}.{}", version.0, version.1, version.2));
        }
    }
    found
}

#[test]
fn dependencies_meet_their_minimum_versions() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).expect("a lock file");
    assert_eq!(too_old(&lock), Vec::<String>::new());
    // The lock file contains these packages, so the check is not empty.
    for name in ["actix-http", "postgres-protocol", "rustls-webpki", "tokio-postgres"] {
        assert!(locked(&lock).iter().any(|(found, _)| found == name), "{name}");
    }
}

#[test]
fn planted_old_version_is_found() {
    let planted = |name: &str, version: &str| {
        too_old(&format!(
            "version = 4\n\n[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \"x\"\n"
        ))
    };
    for (name, (major, minor, patch)) in floors() {
        let at = format!("{major}.{minor}.{patch}");
        assert_eq!(planted(&name, &at), Vec::<String>::new(), "{name} {at}");
        let below = if patch > 0 { (major, minor, patch - 1) } else { (major, minor - 1, 99) };
        let below = format!("{}.{}.{}", below.0, below.1, below.2);
        assert_eq!(planted(&name, &below), vec![format!("{name} {below}")]);
    }
    for (name, version) in [("rand", "0.7.3"), ("rustls-webpki", "0.102.8"), ("time", "0.1.45")] {
        assert_eq!(planted(name, version), vec![format!("{name} {version}")]);
    }
    for (name, version) in [("rand", "0.11.0"), ("h2", "0.5.0"), ("bytes", "2.0.0"), ("serde", "0.0.1")] {
        assert_eq!(planted(name, version), Vec::<String>::new(), "{name} {version}");
    }
}

#[test]
fn every_dependency_is_listed_on_the_page() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let dependencies = metadata["packages"].as_array().expect("packages").iter();
    let dependencies = dependencies.flat_map(|package| package["dependencies"].as_array().expect("a list"));
    let names = dependencies.map(|it| it["name"].as_str().expect("a name").to_owned());
    let named: BTreeSet<String> = names.filter(|name| !name.starts_with("daybook-")).collect();
    let page = page();
    let (listed, _) = page.split_once("## Floors").expect("floors");
    let listed: BTreeSet<String> = rows(listed).into_iter().map(|(name, _)| name).collect();
    assert_eq!(named, listed);
}
