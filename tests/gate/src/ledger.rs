//! A ledger in memory: the writer itself, on a log without a disk, at a clock that stands.

use std::sync::Arc;

use daybook_domain::testing::fixture::{self, ANN, ANNS, BOBS, between, fund};
use daybook_domain::transaction::create::Create;
use daybook_domain::{Actor, Command, Timestamp};
use daybook_engine::{BoundKey, Call, DrivenWriter, SHARD, STATE_CACHE};
use daybook_log::memory::MemoryLog;
use daybook_log::{Log, Recorded};
use tokio::runtime::{Builder, Runtime};

/// 2026-11-22, a Sunday.
const BEGIN: Timestamp = Timestamp::from_ms(1_795_305_600_000);
/// What every node that pays has: ten million dollars.
const FUNDS_MINOR: i64 = 1_000_000_000;
/// How many bytes a box about a transaction has: its note, the caller's address and an id.
const BOX_BYTES: usize = 150;

/// The number of the first payment: below are the ids of the fixture's bank, and a stream's id is its aggregate's.
pub(crate) const FIRST: u128 = 1 << 20;

/// The writer, and what it appended.
pub(crate) struct Ledger {
    runtime: Runtime,
    log: Arc<MemoryLog>,
    writer: DrivenWriter,
    now: Timestamp,
}

impl Ledger {
    /// The fixture's bank, whose people have money.
    pub(crate) fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
        let log = Arc::new(MemoryLog::new());
        let writer = runtime.block_on(DrivenWriter::new(log.clone(), STATE_CACHE));
        let mut ledger = Self { runtime, log, writer, now: BEGIN };
        let funds = [fund(ANNS, FUNDS_MINOR), fund(BOBS, FUNDS_MINOR)];
        for command in fixture::bank().into_iter().chain(funds) {
            ledger.submit(vec![(Call::default(), command)]);
        }
        ledger
    }

    /// Has one batch decided and appended; nothing in it may be refused.
    pub(crate) fn submit(&mut self, batch: Vec<(Call, Command)>) {
        self.now = self.now.plus_ms(fixture::PACE_MS);
        for (_, outcome) in self.runtime.block_on(self.writer.submit(self.now, batch)) {
            outcome.expect("it is not refused");
        }
    }

    /// The first so many events.
    pub(crate) fn events(&self, count: u64) -> Vec<Recorded> {
        let page = self.runtime.block_on(self.log.read(SHARD, 0, count)).expect("a log in memory");
        assert_eq!(page.len() as u64, count, "the history is too short");
        page
    }
}

/// A payment between two people, to and fro, with a box as large as those of requests.
pub(crate) fn payment(number: u128) -> Command {
    let (from, to) = if number.is_multiple_of(2) { (ANNS, BOBS) } else { (BOBS, ANNS) };
    let mut payment: Create = between(number, from, to, 1_000);
    payment.details.bytes = vec![7; BOX_BYTES].into();
    payment.into()
}

/// A request of Ann's with an idempotency key of its own.
pub(crate) fn request(number: u128) -> Call {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(&number.to_be_bytes());
    let key: BoundKey = (bytes, [9; 32]);
    Call { actor: Actor::User(ANN), platform: None, key: Some(key), dry_run: false }
}
