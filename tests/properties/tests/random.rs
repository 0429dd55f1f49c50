//! Checks all properties on random bytes, and on the corpus with random changes. `PROPTEST_CASES` is the number of
//! cases.
#![allow(clippy::unwrap_used, reason = "a corpus that cannot be read is a failure")]

use std::fs;
use std::path::PathBuf;

use daybook_properties::TARGETS;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};

/// Tokens that parsers look for, and a canary that no answer may repeat.
const WORDS: [&str; 24] = [
    "ZQXJ",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "|",
    "%00",
    "%",
    "null",
    "-1",
    "1e999",
    "\u{0}",
    "\u{202e}",
    "@",
    "//",
    "\\",
    "0",
    "99999999999999999999",
    "18446744073709551615",
    "\r\n",
    "A",
];

/// Change of some bytes.
#[derive(Clone, Debug)]
enum Change {
    Flip(Index, u8),
    Insert(Index, &'static str),
    Remove(Index, usize),
    Repeat(Index, usize),
}

impl Change {
    fn make(&self, bytes: &mut Vec<u8>) {
        let (Self::Flip(at, _) | Self::Insert(at, _) | Self::Remove(at, _) | Self::Repeat(at, _)) = self;
        let at = at.index(bytes.len() + 1);
        let end = |length: usize| (at + length).min(bytes.len());
        match self {
            Self::Flip(_, bits) => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= bits),
            Self::Insert(_, word) => drop(bytes.splice(at..at, word.bytes())),
            Self::Remove(_, length) => drop(bytes.drain(at..end(*length))),
            Self::Repeat(_, length) => {
                let again = bytes[at..end(*length)].to_vec();
                bytes.splice(at..at, again);
            }
        }
    }
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, bits)| Change::Flip(at, bits)),
        (any::<Index>(), 0..WORDS.len()).prop_map(|(at, word)| Change::Insert(at, WORDS[word])),
        (any::<Index>(), 1..40_usize).prop_map(|(at, length)| Change::Remove(at, length)),
        (any::<Index>(), 1..400_usize).prop_map(|(at, length)| Change::Repeat(at, length)),
    ]
}

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus")).join(name);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|file| fs::read(file).unwrap()).collect()
}

fn check(name: &str) {
    let (_, holds) = TARGETS.into_iter().find(|(target, _)| *target == name).unwrap();
    let kept = corpus(name);
    let changed = (any::<Index>(), vec(change(), 0..5)).prop_map(move |(which, changes)| {
        let mut bytes = kept[which.index(kept.len())].clone();
        for change in &changes {
            change.make(&mut bytes);
        }
        bytes
    });
    let input = prop_oneof![1 => vec(any::<u8>(), 0..200), 9 => changed];
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    runner
        .run(&input, |bytes| {
            holds(&bytes);
            Ok(())
        })
        .unwrap();
}

macro_rules! hold {
    ($($name:ident),*) => {$(
        #[test]
        fn $name() {
            check(stringify!($name));
        }
    )*};
}

hold!(
    amount,
    bai2,
    bank_csv,
    body,
    bundle,
    camt,
    event,
    header,
    mt940,
    path,
    proof,
    returns,
    statement,
    webhook_url
);
