//! Dry runs within a batch: each sees the recorded commands before it, and no other command sees a dry run.

use daybook_domain::testing::fixture::{ANNS, bank, fund, withdrawal};
use daybook_domain::{Command, Timestamp};
use daybook_engine::{Call, SHARD, SubmitError};

use crate::ledger::{Ledger, Told};
use crate::runtime;

const KEY: ([u8; 32], [u8; 32]) = ([1; 32], [2; 32]);

fn dry() -> Call {
    Call { dry_run: true, ..Call::of(SHARD) }
}

/// Returns a withdrawal from Ann's node, each with an id of its own.
fn takes(minor: i64) -> Command {
    withdrawal(ANNS, minor).into()
}

#[test]
fn dry_run_sees_batch_and_stays_invisible() {
    let runtime = runtime();
    let mut ledger = Ledger::new(&runtime, Ledger::log(), SHARD);
    let at = Timestamp::from_ms(1_000_000);
    let mut told = Told::default();
    for command in bank().into_iter().chain([fund(ANNS, 10_000)]) {
        ledger.submit(0, at, vec![(Call::of(SHARD), command)]).remove(0).1.expect("a bank");
    }
    for happened in ledger.news().expect("readable") {
        told.fold(&happened).expect("no hole");
    }
    let before = told.position;
    let batch = vec![
        (dry(), takes(6_000)),
        (Call { key: Some(KEY), ..dry() }, takes(6_001)),
        (Call { key: Some(KEY), ..Call::of(SHARD) }, takes(6_002)),
        (dry(), takes(6_003)),
        (dry(), takes(3_998)),
        (Call { key: Some(KEY), ..dry() }, takes(1)),
        (Call::of(SHARD), takes(3_997)),
    ];
    let decided: Vec<_> = ledger.submit(0, at, batch).into_iter().map(|(_, outcome)| outcome).collect();
    let news = ledger.news().expect("readable");
    for happened in &news {
        told.fold(happened).expect("no hole");
    }
    let [first, keyed, real, short, rest, used, last] = &decided[..] else { panic!("{decided:?}") };
    for dry in [first, keyed] {
        let dry = dry.as_ref().expect("there is enough");
        assert_eq!((dry.dry_run, dry.position), (true, before));
        assert!(!dry.events.is_empty() && dry.events.iter().all(|happened| happened.position == 0));
    }
    let (real, last) = (real.as_ref().expect("its key is free"), last.as_ref().expect("there is enough"));
    assert!(matches!(short, Err(SubmitError::Refused(_))), "{short:?}");
    assert_eq!(rest.as_ref().map(|dry| dry.position).ok(), Some(real.position), "what is before it counts");
    assert!(matches!(used, Err(SubmitError::KeyUsed { .. })), "{used:?}");
    assert_eq!(news, [&real.events[..], &last.events].concat(), "nothing else was recorded");

    // Neither this writer nor another one, which folds the log, has remembered a dry run.
    for writer in [0, 1] {
        let dry = ledger.submit(writer, at, vec![(dry(), takes(1)), (dry(), takes(2))]);
        assert!(dry[0].1.is_ok() && matches!(dry[1].1, Err(SubmitError::Refused(_))), "{dry:?}");
    }
    assert_eq!(ledger.news(), Ok(vec![]));
}
