//! A writer that is far behind another one.

use daybook_domain::testing::fixture::{ANN, ANNS, PLATFORM, bank, fund, payment, withheld};
use daybook_domain::{Command, Timestamp, platform::clock::AdvanceClock};
use daybook_engine::{Call, SHARD, SubmitError};
use daybook_log::PAGE;

use crate::ledger::Ledger;
use crate::runtime;

const BEHIND: usize = 0;
const AHEAD: usize = 1;

/// Submits a batch. Returns the first refusal.
fn submit(ledger: &mut Ledger<'_>, writer: usize, batch: Vec<Command>) -> Result<(), SubmitError> {
    let batch = batch.into_iter().map(|command| (Call::of(SHARD), command)).collect();
    let answers = ledger.submit(writer, Timestamp::from_ms(1_000_000), batch);
    answers.into_iter().try_for_each(|(_, outcome)| outcome.map(drop))
}

/// A writer folds at most one page of the events of other writers. If it is further behind, it must discard its cached
/// states. A payment reads its sender only, so no conflict of the log would reveal a stale state.
#[test]
fn writer_far_behind_discards_its_states() {
    let runtime = runtime();
    let mut ledger = Ledger::new(&runtime, Ledger::log(), SHARD);
    submit(&mut ledger, BEHIND, bank()).expect("a bank");
    submit(&mut ledger, BEHIND, vec![fund(ANNS, 1_000), payment(9_001, 100).into()]).expect("a payment");
    let [(closes, refusal), ..] = withheld(ANN);
    submit(&mut ledger, AHEAD, vec![closes]).expect("closed");
    let advance = Command::AdvanceClock(AdvanceClock { platform: PLATFORM, ms: 1 });
    for _ in 0..=PAGE / 1_000 {
        submit(&mut ledger, AHEAD, vec![advance.clone(); 1_000]).expect("later");
    }
    let paid = submit(&mut ledger, BEHIND, vec![payment(9_002, 100).into()]);
    assert!(matches!(&paid, Err(SubmitError::Refused(why)) if *why == refusal.into()), "{paid:?}");
}
