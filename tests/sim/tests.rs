use daybook_log::Shard;

use crate::history::{STEPS, Statistics, live, shrink};
use crate::kept::Kept;
use crate::runtime;

/// Number of histories of each test run; `just sim` makes as many as it is told to.
const SEEDS: u64 = 150;

/// Mutants, one per line. The last column is the history that notices the mutant.
const MUTANTS: &str = include_str!("mutants.tsv");

/// Documentation of the mutants.
const REFERENCE: &str = include_str!("../../docs/reference/mutants.md");

fn passes(seed: (u64, Shard), steps: &[u64]) {
    let runtime = runtime();
    if let Err(failure) = live(&runtime, seed, steps, false, &mut Statistics::new()) {
        let failure = shrink(&runtime, *failure);
        panic!("seed {seed:?}, steps {:?}: {}\n{}", failure.steps, failure.what, failure.trace.join("\n"));
    }
}

#[test]
fn ledger_agrees_with_auditor() {
    let steps: Vec<u64> = (0..STEPS).collect();
    (0..SEEDS).for_each(|seed| passes((seed, 1), &steps));
}

#[test]
fn histories_of_three_shards_stay_apart() {
    let steps: Vec<u64> = (0..STEPS).collect();
    (0..SEEDS / 5).for_each(|seed| passes((seed, 3), &steps));
}

/// Each of these histories has failed once, by a defect of the code or by a mutant.
#[test]
fn stored_histories_pass() {
    // A new mutant has no history yet.
    let histories = MUTANTS.lines().map(|line| (line, line.rsplit('\t').next().unwrap_or_default()));
    for (line, history) in histories.filter(|(_, history)| history.contains(' ')) {
        let kept = history.parse::<Kept>().unwrap_or_else(|()| panic!("no history: {line}"));
        assert_eq!(kept.to_string(), history, "a history is one text");
        assert_eq!(kept.live(), Ok(()), "{line}");
    }
}

#[test]
fn reference_lists_every_mutant() {
    for line in MUTANTS.lines() {
        let [invariant, name, file, _, _, noticed, history] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not seven columns: {line}");
        };
        let words = if history.starts_with("faults") { 2 } else { 1 };
        let seed = history.split(' ').take(words).collect::<Vec<_>>().join(" ");
        let row = format!("| {invariant} | {name} | `{file}` | {noticed} | {seed} |\n");
        assert!(REFERENCE.contains(&row), "tests/sim/mutants.sh --write: {row}");
    }
    let rows = REFERENCE.lines().skip_while(|line| !line.starts_with("| Invariant |"));
    assert_eq!(rows.filter(|line| line.starts_with('|')).count(), MUTANTS.lines().count() + 2);
}

/// Histories without any event would pass as well.
#[test]
fn histories_contain_all_kinds_of_events() {
    let (runtime, steps) = (runtime(), (0..STEPS).collect::<Vec<_>>());
    let mut seen = Statistics::new();
    for seed in 0..60 {
        live(&runtime, (seed, 1), &steps, false, &mut seen).unwrap_or_else(|failure| panic!("{failure:?}"));
    }
    let flows = ["held → held", "held → ach", "held → wire", "ach → held", "ach → ach"];
    for flow in flows {
        for end in ["Settled", "Returned", "Canceled"] {
            assert!(seen.contains_key(&format!("{flow}: {end}")), "{flow} {end}: {seen:#?}");
        }
    }
    for event in [": Announced", ": FeesRedirected", ": Reopened", ": WrittenOff"] {
        assert!(seen.keys().any(|what| what.ends_with(event)), "{event}: {seen:#?}");
    }
    let of_nodes =
        ["MicroDepositsResent", "MicroDepositsInapplicable", "Relabeled", "Corrected", "Deactivated"];
    let of_bank = ["BreaksMatched", "LinesBooked", "LinesTakenBack", "Matched", "Unmatched", "Withdrawn"];
    for event in of_nodes.into_iter().chain(of_bank) {
        assert!(seen.contains_key(&format!("event {event}")), "{event}: {seen:#?}");
    }
}
