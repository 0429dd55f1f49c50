use super::*;

#[test]
fn smoke() {
    for seed in 0..30 {
        let report = live(&Plan::of(seed, OPERATIONS));
        assert_eq!(report.failure, None, "seed {seed}");
    }
}
