//! Unusual but legal bank files, as data: each must be read. `files/files.tsv` says for each file which feature is
//! unusual and which result is expected.

use std::fs;
use std::path::{Path, PathBuf};

use daybook_domain::{Currency, Money};
use daybook_engine::rails::ach::{Content, Entry, parse_returns};
use daybook_engine::rails::incoming::text_of;
use daybook_engine::rails::statement;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("it/corpus/files")
}

/// Prefix of the code of an entry, empty for a return.
fn word(content: &Content) -> &'static str {
    match content {
        Content::Returned(_) => "",
        Content::Changed(..) => "change ",
        Content::RefusedChange(_) => "refused ",
        Content::Dishonored(..) => "dishonored ",
        Content::Contested(..) => "contested ",
        Content::UnknownCode => "unknown ",
        Content::Unreadable(_) => "unreadable ",
    }
}

fn said(entry: &Entry) -> String {
    let amount = Money::new(entry.amount_minor, Currency::USD);
    format!("{}{} {} {amount}", word(&entry.content), entry.code, entry.trace)
}

fn returns(text: &str) -> String {
    match parse_returns(text) {
        Ok(entries) => entries.iter().map(said).collect::<Vec<_>>().join("; "),
        Err(error) => error.to_string(),
    }
}

fn stated(text: &str) -> String {
    let read = match statement::parse(text) {
        Ok(read) => read,
        Err(error) => return error.to_string(),
    };
    let money = |minor| Money::new(minor, read.currency).to_string();
    let lines = read.lines.iter().map(|line| format!("{} {}", line.id, money(line.amount_minor)));
    let lines = lines.collect::<Vec<_>>().join("; ");
    let (opening, closing) = (money(read.opening_minor), money(read.closing_minor));
    format!("{} {} {opening} {closing}: {lines}", read.date, read.currency)
}

#[test]
fn unusual_bank_files_are_parsed() {
    let table = fs::read_to_string(folder().join("files.tsv")).expect("a table");
    let mut told = vec!["files.tsv".to_owned()];
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let [name, why, expected] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let text = text_of(fs::read(folder().join(name)).expect("a file"));
        let is_statement = Path::new(name).extension().is_some_and(|end| end == "csv");
        let found = if is_statement { stated(&text) } else { returns(&text) };
        assert_eq!(found, expected, "{name}: {why}");
        told.push(name.to_owned());
    }
    let there = fs::read_dir(folder()).expect("a folder");
    let mut there: Vec<_> =
        there.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
    there.sort_unstable();
    told.sort_unstable();
    assert_eq!(there, told);
}
