use super::*;
use crate::crowd;

/// Number of runs of the tests; `just sim --faults` makes as many as it is told to.
const SEEDS: u64 = 16;

#[test]
fn faults_neither_lose_nor_duplicate_commands() {
    let live = |seed, seen: &mut Statistics| crowd::add(seen, live(&Plan::of(seed, OPERATIONS)));
    let seen = crowd::live(0, SEEDS, live).unwrap_or_else(|seed| {
        let (plan, report) = shrink(&Plan::of(seed, OPERATIONS));
        panic!("{plan:?}: {:?}\n{:#?}", report.failure, report.seen);
    });
    let struck = Fault::ALL.iter().filter(|fault| seen.contains_key(&format!("fault {fault:?}"))).count();
    assert!(struck > Fault::ALL.len() / 2, "{seen:#?}");
}

#[test]
fn seed_always_gives_same_run() {
    let run = |seed| live(&Plan::of(seed, OPERATIONS));
    for seed in [3, 4] {
        let (one, other) = (run(seed), run(seed));
        assert_eq!((one.trace, &one.seen), (other.trace, &other.seen), "seed {seed}");
    }
    assert_ne!(run(3).trace, run(4).trace);
}
