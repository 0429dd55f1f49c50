//! SQL statements are constants. Values from callers are sent as parameters, and no statement is built from them.

use std::path::{Path, PathBuf};

use crate::architecture::{root, sources};

/// Files that may build a statement, from names in the code or the catalog: schemas, tables, columns, roles, databases
/// of a measurement.
const BUILDERS: [&str; 8] = [
    "crates/pg/src/migrate.rs",
    "crates/pg/src/roles/",
    "crates/pg/src/embedded/",
    "crates/projector/src/store/sql.rs",
    "crates/projector/src/projection/rebuild/",
    "crates/projector/src/comparison/",
    "crates/cli/src/commands/reconcile/checks.rs",
    "crates/cli/src/commands/subject/verify.rs",
];

/// Methods that accept SQL.
const TAKES: [&str; 12] = [
    ".query(",
    ".query_one(",
    ".query_opt(",
    ".query_raw(",
    ".query_typed(",
    ".execute(",
    ".execute_raw(",
    ".prepare(",
    ".prepare_cached(",
    ".prepare_typed(",
    ".simple_query(",
    ".batch_execute(",
];

/// Beginnings of SQL statements.
const VERBS: [&str; 9] =
    ["select ", "insert into ", "delete from ", "update ", "copy ", "create ", "alter ", "drop ", "grant "];

/// Returns the code of a file without comments, tests and line breaks.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    lines.collect::<Vec<_>>().join("")
}

/// Returns the places in `text` that build SQL from a value that is not a constant.
fn made(text: &str) -> Vec<String> {
    let code = code(text);
    let mut found = vec![];
    for takes in TAKES {
        for (at, _) in code.match_indices(takes) {
            let argument = code[at + takes.len()..].trim_start_matches('&');
            if ["format!", "String::", "concat("].iter().any(|made| argument.starts_with(made)) {
                found.push(format!("{takes}{}", argument.chars().take(60).collect::<String>()));
            }
        }
    }
    for made in ["format!(\"", "push_str(\"", "write!(", "concat!(\""] {
        for (at, _) in code.match_indices(made) {
            let rest = &code[at + made.len()..];
            let text = rest.rsplit_once(made).map_or(rest, |_| rest).trim_start_matches(['&', ' ']);
            let is_sql = VERBS.iter().any(|verb| text.starts_with(verb));
            let is_filled = made != "concat!(\"";
            if is_sql && is_filled {
                found.push(format!("{made}{}", text.chars().take(60).collect::<String>()));
            }
        }
    }
    found
}

fn name(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

#[test]
fn no_statement_is_built_from_input() {
    let crates = ["pg", "log", "vault", "projector", "engine", "api", "cli"];
    let files: Vec<(PathBuf, String)> =
        crates.iter().flat_map(|name| sources(&format!("crates/{name}/src"), "rs")).collect();
    let is_test = |name: &str| name.contains("/tests") || name.ends_with("testing.rs");
    for (path, text) in &files {
        let name = name(path);
        let may = is_test(&name) || BUILDERS.iter().any(|builder| name.starts_with(builder));
        assert!(may || made(text).is_empty(), "{name}: {:?}", made(text));
    }
    // Every entry of the list must be needed. A superfluous one would hide a later mistake.
    for builder in BUILDERS {
        let here = || files.iter().filter(|(path, _)| name(path).starts_with(builder));
        let is_needed = here().any(|(_, text)| !made(text).is_empty());
        assert!(is_needed, "{builder} puts no statement together");
    }
}

#[test]
fn check_detects_statements_built_from_text() {
    for bad in [
        "client.query(&format!(\"select 1 from t where a = '{name}'\"), &[]).await?;",
        "client\n    .batch_execute(\n        &format!(\"set role {role}\"),\n    )",
        "let sql = format!(\"select * from {table}\");",
        "sql.push_str(\"delete from node\");",
    ] {
        assert!(!made(bad).is_empty(), "{bad}");
    }
    for good in [
        "client.query(include_str!(\"sql/find.sql\"), &[&name]).await?;",
        "client.batch_execute(\"commit\").await",
        "// format!(\"select {x}\")",
        "format!(\"selected {x}\")",
    ] {
        assert_eq!(made(good), Vec::<String>::new(), "{good}");
    }
}
