//! Invariants of the architecture: the allowed dependencies between crates, and the constructs that a crate may not
//! use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace crates that each crate may depend on, as in the table of `docs/ARCHITECTURE.md`.
pub(crate) const ALLOWED: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("proof", &[]),
    ("fault", &[]),
    ("intake", &[]),
    ("outbound", &[]),
    ("pg", &["intake"]),
    ("log", &["proof", "fault", "pg"]),
    ("statement", &["domain"]),
    ("vault", &["intake", "pg"]),
    ("checker", &["domain", "proof", "log"]),
    ("projector", &["domain", "fault", "log", "pg"]),
    ("engine", &["domain", "proof", "fault", "log", "statement", "vault", "projector", "pg"]),
    ("api", &["domain", "proof", "outbound", "vault", "projector", "engine"]),
    (
        "cli",
        &[
            "domain",
            "proof",
            "fault",
            "intake",
            "outbound",
            "pg",
            "log",
            "vault",
            "checker",
            "projector",
            "engine",
            "api",
        ],
    ),
    ("verify", &["domain", "proof", "intake"]),
];

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the workspace").to_owned()
}

/// The workspace crates, each with the names of its build dependencies (dependencies of tests are left out).
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let read = |package: &serde_json::Value| {
        let name = package["name"].as_str()?.strip_prefix("daybook-")?.to_owned();
        let dependencies = package["dependencies"].as_array()?.iter();
        let built = dependencies.filter(|dependency| dependency["kind"].is_null());
        Some((name, built.filter_map(|dependency| Some(dependency["name"].as_str()?.to_owned())).collect()))
    };
    packages.iter().filter_map(read).collect()
}

/// All files with this extension below a folder, with their text.
pub(crate) fn sources(folder: &str, extension: &str) -> Vec<(PathBuf, String)> {
    let mut open = vec![root().join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                let text = std::fs::read_to_string(&path).expect("UTF-8");
                found.push((path, text));
            }
        }
    }
    assert!(!found.is_empty(), "no .{extension} in {folder}");
    found
}

/// The code of a file without comments and without its unit tests, which come last.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn crates_depend_only_on_those_below_them() {
    let found = dependencies();
    for (name, allowed) in ALLOWED {
        let ours = found[*name].iter().filter_map(|dependency| dependency.strip_prefix("daybook-"));
        for dependency in ours {
            assert!(allowed.contains(&dependency), "{name} must not depend on {dependency}");
        }
    }
    let known: BTreeSet<_> = ALLOWED
        .iter()
        .map(|(name, _)| *name)
        .chain(["bench", "gate", "properties", "random", "sim", "tests", "torture"])
        .collect();
    for name in found.keys() {
        assert!(known.contains(name.as_str()), "{name} is not in the table");
    }
}

#[test]
fn domain_and_proof_are_pure() {
    let found = dependencies();
    for (name, others) in [
        ("domain", ["jiff", "serde", "serde_json", "thiserror", "ulid", "uuid"].as_slice()),
        ("proof", ["base64", "ed25519-dalek", "sha2"].as_slice()),
    ] {
        let allowed = others.iter().map(|other| (*other).to_owned()).collect();
        assert!(found[name].is_subset(&allowed), "{name}: {:?}", found[name]);
        for (path, text) in sources(&format!("crates/{name}/src"), "rs") {
            let code = code(&text);
            for banned in
                ["async ", ".await", "f32", "f64", "SystemTime", "Instant", "std::fs", "std::net", "std::env"]
            {
                assert!(!code.contains(banned), "{}: {banned}", path.display());
            }
        }
    }
}

#[test]
fn proof_needs_no_standard_library() {
    let lib = std::fs::read_to_string(root().join("crates/proof/src/lib.rs")).expect("a file with text");
    assert!(lib.contains("#![no_std]") && lib.contains("#![forbid(unsafe_code)]"));
    for (path, text) in sources("crates/proof/src", "rs") {
        assert!(!code(&text).contains("std::"), "{}", path.display());
    }
}

/// The log must not name the domain, the API must not contain SQL, and the projector must not name the vault.
#[test]
fn log_knows_no_domain_api_no_sql() {
    for (path, text) in sources("crates/log/src", "rs") {
        assert!(!text.contains("daybook_domain"), "{}", path.display());
    }
    for (path, text) in sources("crates/api/src", "rs") {
        let code = code(&text).to_lowercase();
        for banned in ["tokio_postgres", "insert into ", "select * ", "delete from ", "update set "] {
            assert!(!code.contains(banned), "{}: {banned}", path.display());
        }
    }
    for (path, text) in sources("crates/projector/src", "rs") {
        assert!(!text.contains("daybook_vault"), "{}", path.display());
    }
}

/// The modules of the projector that the files of each of its rooms (top-level modules) may name.
const ROOMS: [(&str, &[&str]); 5] = [
    ("store", &["error", "store"]),
    ("models", &["error", "store", "models"]),
    ("projection", &["error", "store", "models", "projection"]),
    ("queries", &["error", "store", "models", "queries"]),
    ("comparison", &["error", "store", "models", "projection", "queries", "comparison"]),
];

#[test]
fn projector_rooms_name_only_lower_rooms() {
    for (room, known) in ROOMS {
        for (path, text) in sources(&format!("crates/projector/src/{room}"), "rs") {
            for rest in code(&text).split("crate::").skip(1) {
                let named: String = rest.chars().take_while(|letter| letter.is_alphanumeric()).collect();
                assert!(known.contains(&named.as_str()), "{}: crate::{named}", path.display());
            }
        }
    }
}

#[test]
fn verifier_has_neither_database_nor_network() {
    let found = &dependencies()["verify"];
    let allowed = ["base64", "clap", "hex", "serde", "serde_json", "sha2", "thiserror", "uuid", "zstd"];
    let others = found.iter().filter(|name| !name.starts_with("daybook-"));
    for other in others {
        assert!(allowed.contains(&other.as_str()), "{other}");
    }
    for (path, text) in sources("crates/verify/src", "rs") {
        for banned in ["std::net", "SystemTime", "std::process::Command", "async "] {
            assert!(!code(&text).contains(banned), "{}: {banned}", path.display());
        }
    }
}

#[test]
fn only_cli_reads_the_environment() {
    for name in ["domain", "proof", "fault", "log", "vault", "checker", "projector", "engine", "api"] {
        for (path, text) in sources(&format!("crates/{name}/src"), "rs") {
            assert!(!code(&text).contains("std::env"), "{}", path.display());
        }
    }
}

#[test]
fn sql_is_portable_and_names_itself() {
    let folders = ["crates/log/src", "crates/vault/src", "crates/projector/src", "crates/engine/src"];
    for (path, text) in folders.iter().flat_map(|folder| sources(folder, "sql")) {
        let name = path.display();
        assert!(text.starts_with("-- "), "{name}: the first line names the statement");
        let sql: String =
            text.lines().filter(|line| !line.trim_start().starts_with("--")).collect::<Vec<_>>().join("\n");
        for banned in
            ["merge into", "create table as", "nextval", "generated ", "references ", "pg_advisory", "notify"]
        {
            assert!(!sql.to_lowercase().contains(banned), "{name}: {banned}");
        }
        // Statements on the catalog, on global tables and on the versions of all shards need no shard.
        let is_global = [
            "from pg_attribute",
            "to_regclass",
            "pg_total_relation_size",
            "pg_current_wal_lsn",
            "from projection\n where name = $1",
            "lock table projection",
            "from shard s\norder",
            "into shard ",
            "lock table shard",
            "from platform",
            "into platform",
            "into client_secret",
            "update client_secret",
            "from operator",
            "into operator",
            "update operator",
            "vault.derived_key",
        ]
        .into_iter()
        .any(|global| sql.contains(global));
        let is_schema = path.file_name().is_some_and(|file| file == "schema.sql");
        // COPY takes the shard as the first column of each row.
        let is_copy = sql.starts_with("copy ") && sql.contains(" (shard, ");
        assert!(
            is_global || is_schema || is_copy || sql.contains("shard = $1") || sql.contains("($1,"),
            "{name}: no shard"
        );
        assert!(!sql.contains("any(shard"), "{name}: one shard at a time");
    }
}

#[test]
fn crates_share_lints_and_forbid_unsafe_code() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    assert!(manifest.contains("unsafe_code = \"forbid\""));
    for (name, _) in ALLOWED {
        let path = root().join("crates").join(name).join("Cargo.toml");
        let manifest = std::fs::read_to_string(&path).expect("Cargo.toml");
        assert!(manifest.contains("[lints]\nworkspace = true"), "{name}");
    }
}

/// Modules that make outgoing calls, each with the client of `daybook_outbound` that it must not use: `guarded` is for
/// addresses that API callers chose, `inside` for addresses that the operator configured.
const CALLERS: [(&str, &str); 3] =
    [("crates/api", "inside"), ("crates/cli/src/anchor", "guarded"), ("crates/cli/src/telemetry", "guarded")];

#[test]
fn outgoing_calls_use_their_own_client() {
    for (path, text) in sources("crates", "rs") {
        let (code, path) = (code(&text), path.display().to_string());
        let makes_connections = ["hyper_util", "TcpStream::connect"].iter().any(|name| code.contains(name));
        let may = path.contains("crates/outbound/") || path.contains("crates/pg/");
        assert!(may || !makes_connections, "{path}");
    }
    for (room, other) in CALLERS {
        for (path, text) in sources(room, "rs") {
            let is_other = code(&text).contains(&format!("daybook_outbound::{other}"));
            assert!(!is_other, "{}: not by the client of {other}", path.display());
        }
    }
}

/// An error's own text is often only "a statement failed". JSON log lines show just that text for an error that is
/// passed as an error, so log statements must pass `Causes`, which includes the sources.
#[test]
fn log_lines_include_error_causes() {
    for (path, text) in sources("crates", "rs") {
        for hidden in ["%error", "as &dyn std::error::Error"] {
            assert!(
                !code(&text).contains(hidden),
                "{}: {hidden} hides what is below it: Causes",
                path.display()
            );
        }
    }
}

/// Files that name the first shard, each with its reason. Code that does so elsewhere forgets the other shards.
const NAMES_FIRST_SHARD: [(&str, &str); 20] = [
    (
        "crates/log/src/sign.rs",
        "the origin of the first shard is that of the key, and the others follow from it",
    ),
    ("crates/log/src/lib.rs", "exports the number"),
    (
        "crates/log/src/postgres/signing_key.rs",
        "only the first shard may have an origin that does not end in its number",
    ),
    ("crates/engine/src/account_number.rs", "one permutation draws the numbers of all shards, with one key"),
    ("crates/engine/src/engine.rs", "the first of the shards whose background work a process does"),
    ("crates/engine/src/heartbeat.rs", "a beginning: `of` returns the reports of another shard"),
    ("crates/engine/src/lib.rs", "exports the number"),
    ("crates/engine/src/ops/roles.rs", "one stream has the roles of all operators, for all shards"),
    ("crates/engine/src/writer/testing.rs", "a unit test of one writer"),
    ("crates/api/src/routes/audit/checkpoint.rs", "the address without a shard"),
    ("crates/api/src/routes/audit/consistency.rs", "the address without a shard"),
    ("crates/api/src/routes/audit/tile.rs", "the address without a shard"),
    ("crates/cli/src/anchor/mod.rs", "the checkpoints of the first shard lie at the anchor itself"),
    (
        "crates/cli/src/bank_inbox/mod.rs",
        "the folder is one for all shards; its health is shown with the first",
    ),
    ("crates/cli/src/commands/log/trust.rs", "the shards that an anchor has are tried from the first one on"),
    (
        "crates/cli/src/commands/shard/add.rs",
        "a ledger with one shard: its origin, and processes of earlier releases",
    ),
    ("crates/cli/src/commands/shard/check.rs", "the origins of other shards follow from that of the first"),
    ("crates/cli/src/keys.rs", "the log of the first shard names the key of a new ledger"),
    ("crates/cli/src/metrics/source.rs", "the capacity of the queue, which is that of every shard"),
    ("crates/cli/src/service/serving.rs", "a beginning: `of` returns the deliveries of another shard"),
];

/// A place that names the first shard serves a ledger with one shard and forgets the platforms of the others.
#[test]
fn few_places_name_the_first_shard() {
    let is_word = |part: &str| ["FIRST_SHARD", "SHARD"].contains(&part);
    let names = |(_, text): &(PathBuf, String)| {
        code(text).split(|sign: char| !sign.is_alphanumeric() && sign != '_').any(is_word)
    };
    let found = sources("crates", "rs").into_iter().filter(names).map(|(path, _)| {
        let path = path.strip_prefix(root()).expect("below the root");
        path.display().to_string()
    });
    // A page of help has the name for its text, and the conformance suite tests one log.
    let others = ["crates/cli/src/config", "crates/log/src/conformance/"];
    let is_other = |path: &String| others.iter().any(|other| path.starts_with(other));
    let found: BTreeSet<String> = found.filter(|path| !is_other(path)).collect();
    let listed = NAMES_FIRST_SHARD.iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_eq!(found, listed, "a shard comes from the platform, the record or a loop over all shards");
}
