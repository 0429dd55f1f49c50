use super::*;
use crate::crowd;

/// How many runs the tests live; `just sim --faults` lives as many as it is told to.
const SEEDS: u64 = 16;

#[test]
fn nothing_is_lost_doubled_or_wrong_whatever_goes_wrong() {
    let live = |seed, seen: &mut Statistics| crowd::add(seen, live(&Plan::of(seed, OPERATIONS)));
    let seen = crowd::live(0, SEEDS, live).unwrap_or_else(|seed| {
        let (plan, report) = shrink(&Plan::of(seed, OPERATIONS));
        panic!("{plan:?}: {:?}\n{:#?}", report.failure, report.seen);
    });
    let struck = Fault::ALL.iter().filter(|fault| seen.contains_key(&format!("fault {fault:?}"))).count();
    assert!(struck > Fault::ALL.len() / 2, "{seen:#?}");
}

#[test]
fn a_seed_is_a_run() {
    let run = |seed| live(&Plan::of(seed, OPERATIONS));
    for seed in [3, 4] {
        let (one, other) = (run(seed), run(seed));
        assert_eq!((one.trace, &one.seen), (other.trace, &other.seen), "seed {seed}");
    }
    assert_ne!(run(3).trace, run(4).trace);
}
