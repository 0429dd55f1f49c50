//! Balances that are read together belong to one moment of the log, also while transactions commit. A cached balance is
//! never combined with newer balances that were read from the log.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use daybook_domain::account::{Account, Change, Terms};
use daybook_domain::{AccountId, Currency, Event, Key, NodeId, Timestamp, TransactionId, account};
use daybook_log::conformance::{self, NOON_MS, SHARD, writer};
use daybook_log::memory::MemoryLog;
use daybook_log::{
    Appender, AsOf, Batch, EncodedEvent, Error, EventLocation, Head, Key as UseKey, Log, Position, Recorded,
    Shard, Span, StreamId, StreamKind, UsedKey,
};
use daybook_projector::Reads;
use daybook_tests::app::TestApp;
use daybook_tests::client::Session;
use daybook_tests::database::Database;
use futures::future::join_all;
use futures::stream::{self, StreamExt};
use tokio::sync::watch;
use uuid::Uuid;

/// Number of nodes. Each pays the next, and the last pays the first.
const NODES: usize = 4;
/// Number of payments and of concurrent payers. Both are small, because payments in one commit make only one moment.
const PAYMENTS: usize = 60;
const PAYING: usize = 2;
/// Number of concurrent readers.
const READING: usize = 8;

/// Balance of each node, in minor units.
type Balances = [i64; NODES];

/// Reads the list of nodes. Returns the position of the answer and the balances.
async fn listed(ada: &Session, nodes: &[String]) -> (u64, Balances) {
    let answer = ada.call("GET", "/nodes").send().await;
    let list = answer.ok();
    let position = answer.headers["x-daybook-position"].to_str().expect("text").parse().expect("a position");
    let mut balances = [0; NODES];
    for (index, node) in list["nodes"].as_array().expect("a list").iter().enumerate() {
        let at = nodes.iter().position(|id| node["_id"] == **id).expect("a node of hers");
        let text = answer.raw(&format!("nodes.{index}.info.balance.amount"));
        balances[at] = text.replace('.', "").parse().expect("an amount");
    }
    (position, balances)
}

/// Balances after every commit, with the commit's last position.
async fn moments(app: &TestApp, nodes: &[String]) -> Vec<(u64, Balances)> {
    let ids: Vec<NodeId> = nodes.iter().map(|id| id.parse().expect("an id")).collect();
    let places: HashMap<NodeId, usize> = ids.into_iter().zip(0..).collect();
    let client = app.database.pg().client().await.expect("connects");
    let ends =
        client.query("select last_position from commit order by commit_no", &[]).await.expect("commits");
    let events = app.events().await;
    let (mut events, mut balances) = (events.iter().peekable(), [0; NODES]);
    let mut moments = vec![];
    for end in ends {
        let end = u64::try_from(end.get::<_, i64>(0)).expect("a position");
        while let Some(happened) = events.next_if(|happened| happened.position <= end) {
            if let Event::Account(account::Event::Entry(entry)) = &happened.event
                && let Some(place) = places.get(&entry.node)
            {
                balances[*place] = entry.posted;
            }
        }
        moments.push((end, balances));
    }
    moments
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node_list_is_consistent_during_transfers() {
    let app = TestApp::settling_after(Duration::from_millis(30)).await;
    let ada = app.client.verified("Ada Lovelace").await;
    let nodes = join_all((0..NODES).map(|_| ada.funded("100.00"))).await;
    let (moving, moved) = watch::channel(());
    let pay = async {
        // All amounts differ. With equal amounts, a full round between the nodes would leave every balance unchanged.
        let pay = async |number: usize| {
            ada.sent(&nodes[number % NODES], &nodes[(number + 1) % NODES], &format!("1.{number:02}")).await
        };
        let _ = stream::iter(0..PAYMENTS).map(pay).buffer_unordered(PAYING).count().await;
        let _ = ada.ended().await;
        drop(moving);
    };
    let read = async || {
        let mut seen = vec![];
        while moved.has_changed().is_ok() {
            seen.push(listed(&ada, &nodes).await);
        }
        seen
    };
    let ((), seen) = tokio::join!(pay, join_all((0..READING).map(|_| read())));
    let seen = seen.concat();
    let moments = moments(&app, &nodes).await;
    let mut different: Vec<_> = seen.iter().map(|(_, balances)| balances).collect();
    different.sort_unstable();
    different.dedup();
    assert!(different.len() > 5, "{} lists show {} different balances", seen.len(), different.len());
    for (since, balances) in &seen {
        // The balances belong to the position of the answer or a later one, because they are as current as the log.
        let first = moments.partition_point(|(end, _)| end <= since).saturating_sub(1);
        let is_so = moments[first..].iter().any(|(_, then)| then == balances);
        assert!(is_so, "{balances:?} was read, which was so at no position since {since}");
    }
    // Transfers between the nodes do not change the sum.
    assert_eq!(moments.last().map(|(_, all)| all.iter().sum::<i64>()), Some(40_000));
}

/// A log that records another commit between a reader's look at the head and its read of the entries.
struct Meddled {
    log: Arc<dyn Log>,
    meanwhile: Mutex<Option<Batch>>,
}

impl Meddled {
    async fn meddle(&self) {
        let batch = self.meanwhile.lock().expect("no holder panics").take();
        if let Some(batch) = batch {
            conformance::append(&mut *writer(&self.log).await, batch).await;
        }
    }
}

#[async_trait]
impl Log for Meddled {
    async fn appender(&self, shard: Shard, writer: Uuid) -> Result<Box<dyn Appender>, Error> {
        self.log.appender(shard, writer).await
    }

    async fn head(&self, shard: Shard) -> Result<Head, Error> {
        self.log.head(shard).await
    }

    async fn read(&self, shard: Shard, after: Position, up_to: Position) -> Result<Vec<Recorded>, Error> {
        self.log.read(shard, after, up_to).await
    }

    async fn boundary(&self, shard: Shard, position: Position) -> Result<Head, Error> {
        self.log.boundary(shard, position).await
    }

    async fn position_at(&self, shard: Shard, time_ms: i64) -> Result<Position, Error> {
        self.log.position_at(shard, time_ms).await
    }

    async fn streams(&self, shard: Shard, streams: &[(StreamId, u32)]) -> Result<Vec<Recorded>, Error> {
        self.log.streams(shard, streams).await
    }

    async fn stream_page(
        &self,
        shard: Shard,
        stream: StreamId,
        after: u32,
        limit: u32,
    ) -> Result<Vec<Recorded>, Error> {
        self.log.stream_page(shard, stream, after, limit).await
    }

    async fn last(&self, shard: Shard, streams: &[StreamId]) -> Result<Vec<Recorded>, Error> {
        self.meddle().await;
        self.log.last(shard, streams).await
    }

    async fn last_as_of(
        &self,
        shard: Shard,
        streams: &[AsOf],
        reach: u32,
    ) -> Result<Vec<Option<Recorded>>, Error> {
        self.log.last_as_of(shard, streams, reach).await
    }

    async fn of_type(
        &self,
        shard: Shard,
        event_type: i16,
        after: Position,
    ) -> Result<Vec<EventLocation>, Error> {
        self.log.of_type(shard, event_type, after).await
    }

    async fn of_platform(
        &self,
        shard: Shard,
        platform: Uuid,
        kinds: &[StreamKind],
        span: Span,
        limit: u32,
    ) -> Result<Vec<Recorded>, Error> {
        self.log.of_platform(shard, platform, kinds, span, limit).await
    }

    async fn used_keys(&self, shard: Shard, keys: &[UseKey], now_ms: i64) -> Result<Vec<UsedKey>, Error> {
        self.log.used_keys(shard, keys, now_ms).await
    }

    async fn purge_keys(&self, shard: Shard, now_ms: i64) -> Result<u64, Error> {
        self.log.purge_keys(shard, now_ms).await
    }

    fn watch(&self, shard: Shard) -> watch::Receiver<Position> {
        self.log.watch(shard)
    }

    fn observe(&self, shard: Shard, position: Position) {
        self.log.observe(shard, position);
    }

    fn unchanged_since(&self, shard: Shard, head: Position, streams: &[(StreamId, Position)]) -> Vec<bool> {
        self.log.unchanged_since(shard, head, streams)
    }
}

/// Three accounts with entries made by hand.
struct Books {
    accounts: [(Account, u32); 3],
    commits: u32,
}

impl Books {
    fn new() -> Self {
        let account = |number: u128| (Account::new(NodeId::from_u128(number << 90), Currency::USD), 0);
        Self { accounts: [1, 2, 3].map(account), commits: 0 }
    }

    fn ids(&self) -> [AccountId; 3] {
        self.accounts.each_ref().map(|(account, _)| AccountId::of(account.node, Currency::USD))
    }

    /// Makes a commit with one entry per change: index of the account and posted amount.
    fn batch(&mut self, changes: &[(usize, i64)]) -> Batch {
        self.commits += 1;
        let (ids, mut events) = (self.ids(), vec![]);
        for (index, posted) in changes {
            let (account, version) = &mut self.accounts[*index];
            let (change, cause) =
                (Change { posted: *posted, ..Change::default() }, TransactionId::from_u128(77));
            let entry = account.enter(change, Terms::Reversal, cause.into(), Timestamp::from_ms(NOON_MS));
            let entry = entry.expect("is covered");
            (account.posted, *version) = (entry.posted, *version + 1);
            let (encoded, key) = (Event::from(entry).encode().expect("encodes"), Key::from(ids[*index]));
            events.push(EncodedEvent {
                stream_kind: key.kind.code(),
                event_type: encoded.schema.event_type,
                schema_version: encoded.schema.version,
                data: encoded.data,
                ..conformance::event(key.id, *version)
            });
        }
        conformance::batch(self.commits.into(), NOON_MS, events)
    }
}

#[tokio::test]
async fn cached_and_newer_balances_are_never_combined() {
    let (database, mut books) = (Database::create().await, Books::new());
    let log: Arc<dyn Log> = Arc::new(MemoryLog::new());
    let meddled = Arc::new(Meddled { log: Arc::clone(&log), meanwhile: Mutex::new(None) });
    let reads = Reads::new(database.pg(), Arc::clone(&meddled) as Arc<dyn Log>);
    let ids = books.ids();
    let read = async || {
        let head = reads.aggregates().head(SHARD).await.expect("reads");
        let found = reads.aggregates().accounts_since(SHARD, head, &ids).await.expect("reads");
        ids.map(|id| found[&id].posted)
    };
    let append = async |batch| conformance::append(&mut *writer(&log).await, batch).await;
    append(books.batch(&[(0, 10_000), (1, 10_000), (2, 10_000)])).await;
    assert_eq!(read().await, [10_000; 3]);
    // The first account is cached and has no new entry. While the other two are read, it pays the second.
    append(books.batch(&[(1, -1_000), (2, 1_000)])).await;
    *meddled.meanwhile.lock().expect("no holder panics") = Some(books.batch(&[(0, -500), (1, 500)]));
    assert_eq!(read().await, [9_500, 9_500, 11_000]);
    assert_eq!(read().await, [9_500, 9_500, 11_000]);
}
