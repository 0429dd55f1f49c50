//! Prose of the sources: doc comments begin with a noun or a verb, names of tests are short, pages use the field's
//! words.
//!
//! `just prose` prints the counts for each crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::architecture::root;
use crate::docs::{files, read};

/// Words that may not begin a doc comment: what follows them has no subject.
const QUESTION_WORDS: [&str; 16] = [
    "what", "who", "whoever", "whose", "whom", "how", "whether", "where", "of", "that", "those", "whatever",
    "when", "why", "which", "whence",
];

/// Most words in the name of a test.
const MAX_TEST_WORDS: usize = 7;

/// Most words in the name of a test, in the mean of all, in tenths.
const MAX_MEAN_TENTHS: usize = 62;

/// Standard terms of the field that a reader may search the pages for.
const STANDARD_TERMS: [&str; 16] = [
    "event sourcing",
    "CQRS",
    "double-entry",
    "saga",
    "outbox",
    "reversal",
    "chargeback",
    "crypto-shredding",
    "envelope encryption",
    "snapshot",
    "projection",
    "upcaster",
    "rate limit",
    "Merkle tree",
    "authorization hold",
    "process manager",
];

/// Counts of one crate or folder of tests.
#[derive(Default)]
struct Counts {
    comments: usize,
    /// Doc comments that begin with one of [`QUESTION_WORDS`], and sections such as `# Errors` that begin with "If", with
    /// their places.
    questions: Vec<String>,
    tests: usize,
    test_words: usize,
    /// Names of tests of more than [`MAX_TEST_WORDS`] words, with their places.
    long: Vec<String>,
}

impl Counts {
    fn read(&mut self, path: &Path, text: &str) {
        let mut marker_before = None;
        let mut is_below_heading = false;
        let mut is_test = false;
        for (number, line) in (1..).zip(text.lines()) {
            let place = || format!("{}:{number}: {}", path.display(), line.trim());
            let line = line.trim();
            let comment =
                ["///", "//!"].into_iter().find_map(|marker| Some((marker, line.strip_prefix(marker)?)));
            let marker = comment.map(|(marker, _)| marker);
            if let Some((_, text)) = comment.filter(|_| marker != marker_before) {
                self.comments += 1;
                if begins_with_question(text) {
                    self.questions.push(place());
                }
            }
            if let Some((_, text)) = comment.filter(|(_, text)| !text.trim().is_empty()) {
                if is_below_heading && text.trim().starts_with("If ") {
                    self.questions.push(place());
                }
                is_below_heading = text.trim().starts_with("# ");
            }
            is_below_heading &= comment.is_some();
            marker_before = marker;
            is_test |= line.starts_with("#[test]") || (line.starts_with("#[") && line.contains("::test"));
            if let Some(name) = function(line).filter(|_| is_test) {
                is_test = false;
                let words = name.split('_').count();
                self.tests += 1;
                self.test_words += words;
                if words > MAX_TEST_WORDS {
                    self.long.push(place());
                }
            }
        }
    }
}

/// Returns true if the first word of a comment is one of [`QUESTION_WORDS`].
fn begins_with_question(comment: &str) -> bool {
    let mut words = comment.split(|letter: char| !letter.is_alphabetic()).filter(|word| !word.is_empty());
    words.next().is_some_and(|word| QUESTION_WORDS.contains(&word.to_lowercase().as_str()))
}

/// Name of the function that a line begins to define.
fn function(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let line = line.strip_prefix("async ").unwrap_or(line);
    line.strip_prefix("fn ")?.split(|letter: char| letter != '_' && !letter.is_alphanumeric()).next()
}

/// Counts of every crate, and of every folder of tests.
fn counts() -> BTreeMap<String, Counts> {
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    for (path, text) in files("rs") {
        let path = path.strip_prefix(root()).expect("a file of the project");
        let folder = path.iter().take(2).map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
        counts.entry(folder).or_default().read(path, &text);
    }
    counts
}

#[test]
fn doc_comments_begin_with_noun_or_verb() {
    let counts = counts();
    for (folder, counts) in &counts {
        println!("{folder}: {} of {} doc comments begin badly", counts.questions.len(), counts.comments);
    }
    let bad: Vec<_> = counts.into_values().flat_map(|counts| counts.questions).collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn test_names_are_short() {
    let counts = counts();
    for (folder, counts) in &counts {
        println!("{folder}: {} of {} names of tests are too long", counts.long.len(), counts.tests);
    }
    let long: Vec<_> = counts.values().flat_map(|counts| &counts.long).collect();
    assert!(long.is_empty(), "{long:#?}");
    let (tests, words) = counts
        .values()
        .fold((0, 0), |(tests, words), counts| (tests + counts.tests, words + counts.test_words));
    println!("{tests} tests, {words} words in their names");
    assert!(words * 10 <= tests * MAX_MEAN_TENTHS, "{words} words in the names of {tests} tests");
}

#[test]
fn pages_use_standard_terms() {
    let pages: Vec<_> = files("md").into_iter().map(|(_, text)| text.to_lowercase()).collect();
    let is_used = |term: &&str| pages.iter().any(|page| page.contains(&term.to_lowercase()));
    let missing: BTreeSet<_> = STANDARD_TERMS.iter().filter(|term| !is_used(term)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn readme_is_one_screen() {
    assert!(read("README.md").len() <= 9_000, "the README has more than 9 kB");
}

#[test]
fn counts_notice_bad_prose() {
    let errors = "/// Name.\n///\n/// # Errors\n///\n/// If it is.\nfn a() {";
    let mut counts = Counts::default();
    counts.read(Path::new("x.rs"), errors);
    assert_eq!((counts.comments, counts.questions.len()), (1, 1));
    let text = "/// Whether it is.\n/// Of it.\n#[tokio::test]\nasync fn a_b_c_d_e_f_g_h() {\n//! Name.\n#[test]\nfn a_b() {";
    let mut counts = Counts::default();
    counts.read(Path::new("x.rs"), text);
    assert_eq!((counts.comments, counts.questions.len()), (2, 1));
    assert_eq!((counts.tests, counts.long.len(), counts.test_words), (2, 1, 10));
}
