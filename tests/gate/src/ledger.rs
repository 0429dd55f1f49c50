//! A ledger in memory: the engine's writer on a log without a disk, with a fixed clock.

use std::sync::Arc;

use daybook_domain::testing::fixture::{self, ANN, ANNS, BOBS, between, fund};
use daybook_domain::transaction::create::Create;
use daybook_domain::{Actor, Command, Timestamp};
use daybook_engine::{BoundKey, Call, DrivenWriter, SHARD, STATE_CACHE_BYTES};
use daybook_log::memory::MemoryLog;
use daybook_log::{Log, Recorded};
use tokio::runtime::{Builder, Runtime};

/// Beginning of the history: 2026-11-22, a Sunday.
const BEGIN: Timestamp = Timestamp::from_ms(1_795_305_600_000);
/// Balance of every node that pays: ten million dollars.
const FUNDS_MINOR: i64 = 1_000_000_000;
/// Size of a transaction's box in bytes: note, address of the caller, and an id.
const BOX_BYTES: usize = 150;

/// Number of the first payment. Smaller numbers are ids of the fixture's bank, and a stream has the id of its
/// aggregate.
pub(crate) const FIRST: u128 = 1 << 20;

/// The writer and its log.
pub(crate) struct Ledger {
    runtime: Runtime,
    log: Arc<MemoryLog>,
    writer: DrivenWriter,
    now: Timestamp,
}

impl Ledger {
    /// Creates the fixture's bank, whose users have money.
    pub(crate) fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
        let log = Arc::new(MemoryLog::new());
        let writer = runtime.block_on(DrivenWriter::new(log.clone(), STATE_CACHE_BYTES));
        let mut ledger = Self { runtime, log, writer, now: BEGIN };
        let funds = [fund(ANNS, FUNDS_MINOR), fund(BOBS, FUNDS_MINOR)];
        for command in fixture::bank().into_iter().chain(funds) {
            ledger.submit(vec![(Call::of(SHARD), command)]);
        }
        ledger
    }

    /// Decides and appends one batch. No command may be refused.
    pub(crate) fn submit(&mut self, batch: Vec<(Call, Command)>) {
        self.now = self.now.plus_ms(fixture::PACE_MS);
        for (_, outcome) in self.runtime.block_on(self.writer.submit(self.now, batch)) {
            outcome.expect("it is not refused");
        }
    }

    /// Returns the first `count` events.
    pub(crate) fn events(&self, count: u64) -> Vec<Recorded> {
        let page = self.runtime.block_on(self.log.read(SHARD, 0, count)).expect("a log in memory");
        assert_eq!(page.len() as u64, count, "the history is too short");
        page
    }
}

/// Returns a payment between two users, in alternating directions, with a box of realistic size.
pub(crate) fn payment(number: u128) -> Command {
    let (from, to) = if number.is_multiple_of(2) { (ANNS, BOBS) } else { (BOBS, ANNS) };
    let mut payment: Create = between(number, from, to, 1_000);
    payment.details.bytes = vec![7; BOX_BYTES].into();
    payment.into()
}

/// Returns a call of Ann with an idempotency key of its own.
pub(crate) fn request(number: u128) -> Call {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(&number.to_be_bytes());
    let key: BoundKey = (bytes, [9; 32]);
    Call { actor: Actor::User(ANN), key: Some(key), ..Call::of(SHARD) }
}
