use crate::history::{STEPS, Statistics, live, shrink};
use crate::runtime;

/// How many histories every run of the tests lives; `just sim` lives as many as it is told to.
const SEEDS: u64 = 150;

/// Histories that failed once, by a defect of the code or by a mutant, made shorter.
const KEPT: [(u64, &[u64]); 5] = [
    // What was counted today was forgotten after a correction of the past.
    (69, &[27]),
    // A push was taken for a part of a refund.
    (507, &[0, 5, 8, 14, 15, 29, 30, 31, 33]),
    // Half of the micro-deposits was sent.
    (390, &[19, 30, 33]),
    // The loss of a pull was nobody's.
    (33, &[1, 5, 9, 10, 15, 27, 32, 33, 35, 37, 38, 45, 46, 48, 49]),
    // Two daily limits were counted otherwise.
    (81, &[6, 11, 21, 29, 46]),
];

fn passes(seed: u64, steps: &[u64]) {
    let runtime = runtime();
    if let Err(failure) = live(&runtime, seed, steps, false, &mut Statistics::new()) {
        let failure = shrink(&runtime, *failure);
        panic!("seed {seed}, steps {:?}: {}\n{}", failure.steps, failure.what, failure.trace.join("\n"));
    }
}

#[test]
fn the_ledger_does_what_the_auditor_says() {
    let steps: Vec<u64> = (0..STEPS).collect();
    (0..SEEDS).for_each(|seed| passes(seed, &steps));
}

#[test]
fn what_failed_once_passes() {
    for (seed, steps) in KEPT {
        passes(seed, steps);
    }
}

/// Histories in which nothing happens would pass too.
#[test]
fn histories_are_eventful() {
    let (runtime, steps) = (runtime(), (0..STEPS).collect::<Vec<_>>());
    let mut seen = Statistics::new();
    for seed in 0..60 {
        live(&runtime, seed, &steps, false, &mut seen).unwrap_or_else(|failure| panic!("{failure:?}"));
    }
    let flows = ["held → held", "held → ach", "held → wire", "ach → held", "ach → ach"];
    for flow in flows {
        for end in ["Settled", "Returned", "Canceled"] {
            assert!(seen.contains_key(&format!("{flow}: {end}")), "{flow} {end}: {seen:#?}");
        }
    }
    for event in ["MicroDepositsResent", "MicroDepositsInapplicable", "Relabeled", "Deactivated"] {
        assert!(seen.contains_key(&format!("event {event}")), "{event}: {seen:#?}");
    }
}
