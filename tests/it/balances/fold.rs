//! Balances from the read models, compared with a direct sum over the account's entries.

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::account::{Account, Change, Entry, Terms};
use daybook_domain::time::DAY_MS;
use daybook_domain::{AccountId, Currency, Event, Key, NodeId, Timestamp, TransactionId, account};
use daybook_log::conformance::{NOON_MS, SHARD, batch, event, writer};
use daybook_log::memory::MemoryLog;
use daybook_log::{EncodedEvent, Log};
use daybook_projector::{Balance, Error, Moment, Page, Progress, Reads, Runner};
use daybook_tests::database::Database;
use tokio::sync::watch;
use uuid::Uuid;

const NODE: NodeId = NodeId::from_u128(1 << 90);
/// The day of [`NOON_MS`], in days since 1970-01-01.
const TODAY: i32 = 20_513;

/// The entries of one account, in a log that also holds other events.
struct Book {
    log: Arc<dyn Log>,
    account: Account,
    entries: Vec<Written>,
    commits: u32,
}

/// An entry with its position, its time of recording, and its effective day.
#[derive(Clone)]
struct Written {
    position: u64,
    recorded_ms: i64,
    day: i32,
    entry: Entry,
}

fn id() -> AccountId {
    AccountId::of(NODE, Currency::USD)
}

impl Book {
    fn new() -> Self {
        let account = Account::new(NODE, Currency::USD);
        Self { log: Arc::new(MemoryLog::new()), account, entries: vec![], commits: 0 }
    }

    /// Appends a commit recorded at `recorded_ms` with one entry per change: posted, held, pending in, and the
    /// effective day relative to today.
    async fn commit(&mut self, recorded_ms: i64, changes: &[(i64, i64, i64, i32)]) {
        let mut position = self.head().await;
        let mut events = vec![];
        for (posted, held, pending_in, days) in changes.iter().copied() {
            let change = Change { posted, held, pending_in };
            let cause = TransactionId::from_u128(77);
            let entry = self
                .account
                .enter(change, Terms::Reversal, cause.into(), Timestamp::from_ms(NOON_MS))
                .expect("is covered");
            self.account = Account {
                posted: entry.posted,
                held: entry.held,
                pending_in: entry.pending_in,
                ..self.account
            };
            position += 1;
            let (day, days) = (TODAY + days, i64::from(days));
            self.entries.push(Written { position, recorded_ms, day, entry: entry.clone() });
            let effective_at_ms = (days != 0).then_some(NOON_MS + days * DAY_MS);
            events.push(self.event(&entry.into(), effective_at_ms));
        }
        self.append(recorded_ms, events).await;
    }

    /// Appends an entry of another account, which must not change any result.
    async fn noise(&mut self, recorded_ms: i64) {
        let other = Account { posted: 1_000_000, ..Account::new(NodeId::from_u128(5), Currency::USD) };
        let change = Change { posted: 5, ..Change::default() };
        let entry = other.enter(
            change,
            Terms::Reversal,
            TransactionId::from_u128(78).into(),
            Timestamp::from_ms(NOON_MS),
        );
        let event = self.event(&entry.expect("fits").into(), None);
        let (stream, version) = (Uuid::from_u128(5), self.commits + 1);
        self.append(recorded_ms, vec![EncodedEvent { stream, version, ..event }]).await;
    }

    fn event(&self, entry: &Event, effective_at_ms: Option<i64>) -> EncodedEvent {
        let encoded = entry.encode().expect("encodes");
        let key = Key::from(id());
        EncodedEvent {
            stream_kind: key.kind.code(),
            event_type: encoded.schema.event_type,
            schema_version: encoded.schema.version,
            data: encoded.data,
            effective_at_ms,
            ..event(key.id, u32::try_from(self.entries.len()).expect("few"))
        }
    }

    async fn append(&mut self, recorded_ms: i64, events: Vec<EncodedEvent>) {
        self.commits += 1;
        let mut writer = writer(&self.log).await;
        daybook_log::conformance::append(&mut *writer, batch(self.commits.into(), recorded_ms, events)).await;
    }

    async fn head(&self) -> u64 {
        self.log.head(SHARD).await.expect("has a head").position
    }

    /// A log with several entries in one commit, commits of the same time, and entries that are effective on other
    /// days.
    async fn told() -> Self {
        let mut book = Self::new();
        book.noise(NOON_MS).await;
        book.commit(NOON_MS + 5, &[(10_000, 0, 0, 0)]).await;
        book.commit(NOON_MS + 5, &[(0, 700, 0, 0), (0, 0, 300, 0)]).await;
        book.noise(NOON_MS + 6).await;
        book.commit(NOON_MS + 9, &[(-700, -700, 0, 1), (300, 0, -300, 1)]).await;
        // One entry that is effective 40 days before its commit, then some that are effective later.
        book.commit(NOON_MS + 9, &[(50, 0, 0, -40)]).await;
        book.commit(NOON_MS + DAY_MS, &[(1, 0, 0, 2), (2, 0, 0, 3), (3, 0, 0, 2), (4, 0, 0, 30)]).await;
        book.noise(NOON_MS + 2 * DAY_MS).await;
        // Enough entries that the search starts from different rows.
        book.commit(NOON_MS + 2 * DAY_MS, &[(1, 0, 0, 2); 22]).await;
        book
    }

    /// The balance after these entries, as of `position`.
    fn after(entries: &[&Written], position: u64) -> Balance {
        let last = entries.last().map(|written| &written.entry);
        let n = u32::try_from(entries.len()).expect("few");
        Balance {
            posted: entries.iter().map(|written| written.entry.delta).sum(),
            held: Some(last.map_or(0, |entry| entry.held)),
            pending_in: Some(last.map_or(0, |entry| entry.pending_in)),
            position,
            n,
        }
    }

    /// Every relevant moment, with the entries that count at it and the resulting balance.
    async fn moments(&self) -> Vec<(Moment, Vec<&Written>, Balance)> {
        let head = self.head().await;
        let by = |counts: &dyn Fn(&Written) -> bool| -> Vec<&Written> {
            self.entries.iter().filter(|written| counts(written)).collect()
        };
        let mut moments = vec![];
        for position in 0..=head {
            let entries = by(&|written| written.position <= position);
            let balance = Self::after(&entries, position);
            moments.push((Moment::Position(position), entries, balance));
        }
        for ms in [-1, 0, 4, 5, 6, 8, 9, 10, DAY_MS - 1, DAY_MS, 3 * DAY_MS].map(|ms| NOON_MS + ms) {
            let position = self.log.position_at(SHARD, ms).await.expect("reads");
            let entries = by(&|written| written.recorded_ms <= ms);
            let balance = Self::after(&entries, position);
            moments.push((Moment::Recorded(Timestamp::from_ms(ms)), entries, balance));
        }
        for day in TODAY - 41..=TODAY + 31 {
            let entries = by(&|written| written.day <= day);
            let balance = Balance { held: None, pending_in: None, ..Self::after(&entries, head) };
            moments.push((Moment::EffectiveDay(day), entries, balance));
        }
        let all = by(&|_| true);
        moments.push((Moment::Now, all.clone(), Self::after(&all, head)));
        moments
    }
}

async fn run_to_end(reads: &Reads) {
    let runner = Runner::new(reads.store(), SHARD);
    while runner.step().await.expect("steps") != Progress::Idle {}
}

async fn reads(log: &Arc<dyn Log>) -> (Reads, Database) {
    let database = Database::create().await;
    let reads = Reads::new(database.pg(), Arc::clone(log));
    reads.versions().install(SHARD).await.expect("makes the tables");
    (reads, database)
}

#[tokio::test]
async fn balance_at_any_moment_sums_entries() {
    let book = Book::told().await;
    let (reads, _database) = reads(&book.log).await;
    run_to_end(&reads).await;
    for (moment, _, expected) in book.moments().await {
        let found = reads.balances().balance_at(SHARD, id(), moment).await.expect("reads");
        assert_eq!(found, Some(expected), "{moment:?}");
    }
}

/// Balances come from the log. The rows of the read model only locate the entry.
#[tokio::test]
async fn damaged_entry_rows_do_not_change_balances() {
    let book = Book::told().await;
    let (reads, database) = reads(&book.log).await;
    run_to_end(&reads).await;
    let client = database.pg().client().await.expect("connects");
    for damage in [
        "update entries_v2 set n = n + 3",
        "update entries_v2 set n = n + 1000",
        "delete from entries_v2 where n > 1",
        "update entries_v2 set position = position + 1",
        "delete from entries_v2",
    ] {
        client.batch_execute(damage).await.expect(damage);
        for (moment, _, expected) in book.moments().await {
            let found = reads.balances().balance_at(SHARD, id(), moment).await.expect("reads");
            assert_eq!(found, Some(expected), "{moment:?} after {damage}");
        }
    }
}

#[tokio::test]
async fn explanation_lists_newest_entries_that_count() {
    let book = Book::told().await;
    let (reads, _database) = reads(&book.log).await;
    run_to_end(&reads).await;
    for (moment, entries, expected) in book.moments().await {
        for limit in [0, 1, 3, 100, u32::MAX] {
            let found =
                reads.balances().explain(SHARD, id(), moment, limit).await.expect("reads").expect("is there");
            assert_eq!(found.balance, expected, "{moment:?}");
            let positions: Vec<_> = found.entries.iter().map(|entry| entry.position).collect();
            let skipped = entries.len().saturating_sub(limit as usize);
            let newest: Vec<_> = entries[skipped..].iter().map(|written| written.position).collect();
            assert_eq!(positions, newest, "{moment:?}, {limit}");
        }
        let found =
            reads.balances().explain(SHARD, id(), moment, 100).await.expect("reads").expect("is there");
        let deltas = found.entries.iter().map(|happened| match &happened.event {
            Event::Account(account::Event::Entry(entry)) => entry.delta,
            other => panic!("no entry: {other:?}"),
        });
        assert_eq!(deltas.sum::<i64>(), expected.posted, "{moment:?}");
    }
}

#[tokio::test]
async fn pages_of_entries_cover_the_stream() {
    let book = Book::told().await;
    let (reads, _database) = reads(&book.log).await;
    let total = book.entries.len();
    for size in [1, 3, 100] {
        let mut positions = vec![];
        for number in 1..=u32::try_from(total.div_ceil(size)).expect("few") + 1 {
            let page = Page { number, size: u32::try_from(size).expect("small") };
            let listed = reads.balances().entries_of(SHARD, id(), page).await.expect("lists");
            assert_eq!((listed.total, listed.position), (total as u64, book.head().await));
            positions.extend(listed.items.iter().map(|entry| entry.position));
        }
        let expected: Vec<_> = book.entries.iter().map(|written| written.position).collect();
        assert_eq!(positions, expected);
    }
    let far = Page { number: u32::MAX, size: 100 };
    assert_eq!(reads.balances().entries_of(SHARD, id(), far).await.expect("lists").items, vec![]);
    let nobody = AccountId::from_u128(9);
    let nothing =
        reads.balances().entries_of(SHARD, nobody, Page { number: 1, size: 5 }).await.expect("lists");
    assert_eq!((nothing.items, nothing.total), (vec![], 0));
}

#[tokio::test]
async fn lagging_projection_never_answers_older_balance() {
    let mut book = Book::told().await;
    let (reads, _database) = reads(&book.log).await;
    run_to_end(&reads).await;
    let old = book.head().await;
    book.commit(NOON_MS + 9 * DAY_MS, &[(5, 0, 0, 0)]).await;
    let at = |moment| reads.balances().balance_at(SHARD, id(), moment);
    let behind = at(Moment::Position(old + 1)).await;
    assert!(
        matches!(behind, Err(Error::Behind { cursor, position }) if (cursor, position) == (old, old + 1)),
        "{behind:?}"
    );
    assert!(
        at(Moment::Recorded(Timestamp::from_ms(i64::MAX))).await.is_err_and(|error| error.is_transient())
    );
    assert!(at(Moment::Position(old)).await.is_ok());
    // `Now` is as current as the log. A balance by date returns the position up to which it counts.
    let now = at(Moment::Now).await.expect("reads").expect("is there");
    assert_eq!((now.posted, now.position), (book.account.posted, old + 1));
    let today = at(Moment::EffectiveDay(i32::MAX)).await.expect("reads").expect("is there");
    assert_eq!((today.posted, today.position), (book.account.posted - 5, old));
    for beyond in [old + 2, u64::MAX] {
        assert_eq!(at(Moment::Position(beyond)).await.expect("reads"), None);
    }
    run_to_end(&reads).await;
    let found = at(Moment::Position(old + 1)).await.expect("reads").expect("is there");
    assert_eq!(found.posted, book.account.posted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn balance_matches_its_position_during_writes() {
    let mut book = Book::new();
    let (reads, _database) = reads(&book.log).await;
    let (stop, stopped) = watch::channel(false);
    let running = tokio::spawn(Runner::new(reads.store(), SHARD).run(stopped));
    let log = Arc::clone(&book.log);
    let reading = tokio::spawn(async move {
        let mut seen = vec![];
        while seen.len() < 400 {
            let head = log.head(SHARD).await.expect("has a head").position;
            for moment in [Moment::Now, Moment::Position(head), Moment::EffectiveDay(TODAY)] {
                let found = reads
                    .balances()
                    .explain(SHARD, id(), moment, u32::MAX)
                    .await
                    .expect("reads")
                    .expect("is there");
                assert_eq!(found.entries.len(), found.balance.n as usize);
                seen.push((moment, found.balance));
            }
        }
        seen
    });
    let mut ms = NOON_MS;
    while !reading.is_finished() {
        ms += 1;
        book.commit(ms, &[(7, 3, 0, 0), (-2, -3, 0, 0)]).await;
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    for (moment, found) in reading.await.expect("holds") {
        let entries: Vec<_> = book.entries.iter().filter(|one| one.position <= found.position).collect();
        let expected = Book::after(&entries, found.position);
        assert_eq!((found.posted, found.n), (expected.posted, expected.n), "{moment:?}");
        assert_eq!(found.held, expected.held.filter(|_| !matches!(moment, Moment::EffectiveDay(_))));
    }
    stop.send(true).expect("it runs");
    running.await.expect("ends well");
}
