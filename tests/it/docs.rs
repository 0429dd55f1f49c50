//! Checks of the documentation: links have targets, named paths exist, tables equal the code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use daybook_domain::Event;

use crate::architecture::{ALLOWED, root};

/// Folders with foreign files or build output, which a clean checkout does not have.
const FOREIGN: [&str; 4] = ["target", "node_modules", "python_modules", ".git"];

/// First folders of the paths that pages and comments may name.
const BEGINNINGS: [&str; 4] = ["docs/", "crates/", "tests/", "migrations/"];

pub(crate) fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).expect("a file with text")
}

/// All files of the repository with this extension, with their text.
pub(crate) fn files(extension: &str) -> Vec<(PathBuf, String)> {
    let mut open = vec![root()];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if !FOREIGN.contains(&name.as_str()) && (!name.starts_with('.') || name == ".ci") {
                    open.push(path);
                }
            } else if path.extension().is_some_and(|found| found == extension) {
                let text = std::fs::read_to_string(&path).expect("UTF-8");
                found.push((path, text));
            }
        }
    }
    assert!(!found.is_empty(), "no .{extension}");
    found
}

/// Text of the comments of a Rust or SQL file.
fn comments(text: &str) -> String {
    let comment = |line: &str| {
        line.split_once("//").or_else(|| line.split_once("-- ")).map(|(_, said)| said.to_owned())
    };
    text.lines().filter_map(comment).collect::<Vec<_>>().join("\n")
}

/// Complete pages, and the comments of the code.
fn prose() -> Vec<(PathBuf, String)> {
    let code = ["rs", "sql"].into_iter().flat_map(files).map(|(path, text)| (path, comments(&text)));
    files("md").into_iter().chain(code).collect()
}

/// Anchor that Markdown renderers make of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter));
    kept.collect::<String>().trim().to_lowercase().replace(' ', "-")
}

pub(crate) fn headings(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim())
}

/// Link targets of a page inside the repository.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    targets.filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
}

/// Paths that a text names, each with the text after it.
fn paths(text: &str) -> Vec<(&str, &str)> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_-./".contains(letter);
    let mut found = Vec::new();
    for beginning in BEGINNINGS {
        for (at, _) in text.match_indices(beginning) {
            if text[..at].ends_with(is_part) {
                continue;
            }
            let length = text[at..].find(|letter| !is_part(letter)).unwrap_or(text.len() - at);
            let path = text[at..at + length].trim_end_matches('.');
            found.push((path, &text[at + path.len()..]));
        }
    }
    found
}

/// Cells of the rows of the table whose first line begins with `| {head} |`.
pub(crate) fn table<'a>(text: &'a str, head: &str) -> Vec<Vec<&'a str>> {
    let start = format!("| {head} |");
    let rows =
        text.lines().skip_while(|line| !line.starts_with(&start)).take_while(|line| line.starts_with('|'));
    let cells =
        |line: &'a str| line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect();
    rows.skip(2).map(cells).collect()
}

#[test]
fn every_link_has_a_target() {
    let mut broken = Vec::new();
    for (page, text) in files("md") {
        let folder = page.parent().expect("a folder");
        broken.extend(links(&text).filter(|link| !leads(&page, folder, link)).map(|link| told(&page, link)));
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// Returns true if the file of a link exists and has the linked heading.
fn leads(page: &Path, folder: &Path, link: &str) -> bool {
    let (target, fragment) = link.split_once('#').unwrap_or((link, ""));
    let file = if target.is_empty() { page.to_owned() } else { folder.join(target) };
    let has_heading =
        |text: String| fragment.is_empty() || headings(&text).any(|heading| anchor(heading) == fragment);
    // A folder or a picture has no headings.
    std::fs::read_to_string(&file).map_or_else(|_| file.exists(), has_heading)
}

#[test]
fn every_named_path_exists() {
    let mut broken = Vec::new();
    for (page, text) in prose() {
        broken.extend(
            paths(&text).into_iter().filter(|path| !exists(*path)).map(|(path, _)| told(&page, path)),
        );
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// Returns true if a path exists, with the function that follows it, such as `tests/it/docs.rs::exists`. Build output,
/// such as `tests/peers/target/release/peers`, is not checked, because a clean checkout does not have it.
fn exists((path, after): (&str, &str)) -> bool {
    if path.split('/').any(|folder| FOREIGN.contains(&folder)) {
        return true;
    }
    let Some(function) = after.strip_prefix("::") else { return root().join(path).exists() };
    let name = function.split(|letter: char| letter != '_' && !letter.is_alphanumeric()).next();
    let definition = format!("fn {}(", name.unwrap_or_default());
    std::fs::read_to_string(root().join(path)).is_ok_and(|text| text.contains(&definition))
}

fn told(page: &Path, what: &str) -> String {
    format!("{}: {what}", page.strip_prefix(root()).unwrap_or(page).display())
}

/// A comment such as "`docs/reference/api.md`, Users" names a heading. A quoted name is a bold word of a table.
#[test]
fn every_heading_named_in_comments_exists() {
    for (page, text) in ["rs", "sql"].into_iter().flat_map(files) {
        let text = comments(&text);
        for (path, after) in paths(&text).into_iter().filter(|(path, _)| path.strip_suffix(".md").is_some()) {
            let Some(place) = after.strip_prefix("`, ") else { continue };
            let target = read(path);
            if let Some(word) = place.strip_prefix('"').and_then(|quoted| quoted.split('"').next()) {
                assert!(target.contains(&format!("**{word}**")), "{}: {path}, {word}", page.display());
            } else if place.starts_with(char::is_uppercase) {
                let is_named = |heading: &str| place.starts_with(heading);
                assert!(headings(&target).any(is_named), "{}: {path} lacks the heading", page.display());
            }
        }
    }
}

#[test]
fn every_event_is_in_the_reference() {
    let text = read("docs/reference/events.md");
    let told: Vec<_> = table(&text, "Type").into_iter().map(|row| row[..3].join(" ")).collect();
    let known: Vec<_> = Event::schemas()
        .map(|(schema, name)| format!("{} {} {name}", schema.event_type, schema.version))
        .collect();
    assert_eq!(told, known);
}

#[test]
fn crate_table_equals_the_enforced_dependencies() {
    let text = read("docs/ARCHITECTURE.md");
    let rows = table(&text, "Crate");
    let told: Vec<_> = rows.iter().map(|row| (row[0], names(row[2]))).collect();
    let held: Vec<_> = ALLOWED.iter().map(|(name, below)| (*name, below.iter().copied().collect())).collect();
    assert_eq!(told, held);
}

/// Names of a list such as "`log`, `pg`". A dash is an empty list.
fn names(list: &str) -> BTreeSet<&str> {
    list.split(", ").map(|name| name.trim_matches('`')).filter(|name| *name != "–").collect()
}

#[test]
fn every_error_is_in_the_reference() {
    let (sources, reference) = (root().join("crates/api/src"), read("docs/reference/api.md"));
    let is_source = |path: &Path| path.starts_with(&sources) && !path.ends_with("tests.rs");
    let mut slugs = BTreeSet::new();
    for (_, text) in files("rs").into_iter().filter(|(path, _)| is_source(path)) {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for opening in ["Conflict(", "NotAllowed(", "Unsupported("] {
            let rests = code.split(opening).skip(1).filter_map(|rest| rest.trim_start().strip_prefix('"'));
            slugs.extend(rests.filter_map(|rest| rest.split('"').next()).map(str::to_owned));
        }
        let rows = code.lines().filter(|line| line.contains("=> (StatusCode::"));
        slugs.extend(rows.filter_map(|line| line.rsplit('"').nth(1)).map(str::to_owned));
    }
    // If the slug of a row comes from elsewhere, the literal is its numeric `error_code`, which is dropped.
    slugs.retain(|slug| slug.starts_with(char::is_alphabetic));
    assert!(slugs.len() > 15, "errors are written in another way: {slugs:?}");
    for slug in slugs {
        assert!(reference.contains(&format!("| `{slug}` |")), "{slug}");
    }
}

/// Source of the files that declare the command line's options.
fn options() -> String {
    let folder = root().join("crates/cli/src/config");
    let is_part = |path: &Path| path.starts_with(&folder) || path == folder.with_extension("rs");
    files("rs").into_iter().filter(|(path, _)| is_part(path)).map(|(_, text)| text).collect()
}

#[test]
fn every_variable_is_in_operations_page() {
    let (config, page) = (options(), read("docs/OPERATIONS.md"));
    let variables: BTreeSet<_> =
        config.split("env = \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(variables.len() > 5, "variables are written in another way");
    for variable in variables {
        let option =
            format!("--{}", variable.trim_start_matches("DAYBOOK_").to_lowercase().replace('_', "-"));
        assert!(page.contains(&format!("| `{variable}` | `{option}` |")), "{variable} {option}");
    }
}
