//! A log written by an in-memory world of aggregates, and the read models projected from it.

use std::collections::HashMap;
use std::sync::Arc;

use daybook_domain::account::Entry;
use daybook_domain::testing::World;
use daybook_domain::testing::fixture::{self, ANNS, PLATFORM};
use daybook_domain::{Command, Key, NewEvent};
use daybook_log::memory::MemoryLog;
use daybook_log::{Batch, EncodedEvent, Log, Shard};
use daybook_projector::{Progress, Reads, RecordedEvent, Runner, replay};
use daybook_tests::database::Database;
use futures::TryStreamExt;
use uuid::Uuid;

pub(crate) const SHARD: Shard = 1;
/// Every table of a read model except `lasts`, which only a rebuild fills, for its own use.
pub(crate) const TABLES: [&str; 25] = [
    "platforms_v1",
    "users_v1",
    "nodes_v1",
    "transactions_v2",
    "breaks_v1",
    "custodies_v1",
    "evidence_v1",
    "roles_v1",
    "operations_v1",
    "subnets_v1",
    "subscriptions_v1",
    "statements_v1",
    "entries_v2",
    "balances_v2",
    "daily_v2",
    "ledger_v1",
    "to_dos_v1",
    "members_v3",
    "counters_v3",
    "parties_v1",
    "open_items_v1",
    "queued_v1",
    "waiting_v1",
    "files_v1",
    "traces_v1",
];
/// Milliseconds from one command of a story to the next.
const TICK: i64 = 10;

/// A bank whose log is written by a [`World`]. Each command is one commit, at the time of its platform's clock.
pub(crate) struct Story {
    pub(crate) world: World,
    pub(crate) log: Arc<dyn Log>,
    pub(crate) versions: HashMap<Key, u32>,
    ids: u128,
}

impl Story {
    /// Creates the bank of the fixture, in which Ann has a million cents.
    pub(crate) async fn begin() -> Self {
        Self::on(Arc::new(MemoryLog::new())).await
    }

    pub(crate) async fn on(log: Arc<dyn Log>) -> Self {
        let mut story = Self::after(log).await;
        story.tell_all(fixture::bank()).await;
        story.tell(fixture::fund(ANNS, 1_000_000)).await;
        story
    }

    /// Continues at the end of `log`, which may be empty.
    pub(crate) async fn after(log: Arc<dyn Log>) -> Self {
        let head = log.head(SHARD).await.expect("has a head");
        let mut story = Self {
            world: World::default(),
            log,
            versions: HashMap::new(),
            ids: u128::from(head.commit_no) + (1 << 100),
        };
        for recorded in story.log.read(SHARD, 0, head.position).await.expect("reads") {
            let RecordedEvent { key, event, effective_at, version, .. } =
                RecordedEvent::decode(&recorded).expect("can be read");
            story.world.record_at(&[NewEvent::new(key, event)], effective_at);
            story.versions.insert(key, version);
            story.ids += 1;
        }
        story.world.pass(head.recorded_at_ms);
        story
    }

    pub(crate) async fn tell_all(&mut self, commands: impl IntoIterator<Item = Command>) {
        for command in commands {
            self.tell(command).await;
        }
    }

    pub(crate) async fn tell(&mut self, command: impl Into<Command>) {
        let command = command.into();
        self.world.pass(TICK);
        let platform = command.platform(&self.world);
        let now = self.world.now_of(platform);
        let facts = self.world.submit(&command);
        let facts = facts.unwrap_or_else(|refusal| panic!("{refusal}: {command:?}"));
        let mut events = vec![];
        for fact in facts {
            let encoded = fact.event.encode().expect("encodes");
            let version = self.versions.entry(fact.key).or_default();
            *version += 1;
            self.ids += 1;
            let box_id = encoded.sealed.as_ref().map(|sealed| sealed.id.as_u128());
            let effective_at = fact.effective_at.unwrap_or(now);
            events.push(EncodedEvent {
                event_id: Uuid::from_u128(box_id.unwrap_or(self.ids)),
                event_type: encoded.schema.event_type,
                schema_version: encoded.schema.version,
                effective_at_ms: (effective_at != self.world.now()).then_some(effective_at.ms()),
                data: encoded.data,
                sealed: encoded.sealed.map(|sealed| sealed.bytes.to_vec()),
                platform: Uuid::from(platform.unwrap_or(PLATFORM)),
                ..plain(fact.key, *version)
            });
        }
        if !events.is_empty() {
            self.append(events).await;
        }
    }

    pub(crate) async fn append(&mut self, events: Vec<EncodedEvent>) {
        self.ids += 1;
        let now = self.world.now().ms();
        let mut appender = self.log.appender(SHARD, Uuid::nil()).await.expect("opens");
        appender.lock(&[], now).await.expect("locks");
        let batch = Batch { id: Uuid::from_u128(self.ids), recorded_at_ms: now, events, keys: vec![] };
        appender.append(batch).await.expect("appends");
    }

    /// Returns the empty tables in a new database.
    pub(crate) async fn reads(&self) -> (Reads, Database) {
        let database = Database::create().await;
        let reads = Reads::new(database.pg(), Arc::clone(&self.log));
        reads.versions().install(SHARD).await.expect("makes the tables");
        (reads, database)
    }

    /// Returns the tables in a new database, projected up to the end of the story.
    pub(crate) async fn projected(&self) -> (Reads, Database) {
        let (reads, database) = self.reads().await;
        project(&reads).await;
        (reads, database)
    }

    /// Returns the entries of all accounts, in the order of the log.
    pub(crate) async fn entries(&self) -> Vec<(RecordedEvent, Entry)> {
        let mut pages = std::pin::pin!(replay(Arc::clone(&self.log), SHARD, 0, self.head().await, 1));
        let mut entries = vec![];
        while let Some(page) = pages.try_next().await.expect("reads") {
            for happened in page {
                if let Some(entry) = happened.entry().cloned() {
                    entries.push((happened, entry));
                }
            }
        }
        entries
    }

    pub(crate) async fn head(&self) -> u64 {
        self.log.head(SHARD).await.expect("has a head").position
    }
}

/// Returns an event of an unknown type.
pub(crate) fn plain(key: Key, version: u32) -> EncodedEvent {
    EncodedEvent {
        event_id: Uuid::nil(),
        stream: Uuid::from_u128(key.id),
        stream_kind: key.kind.code(),
        version,
        event_type: 9_999,
        schema_version: 1,
        effective_at_ms: None,
        actor: None,
        cause_id: Uuid::nil(),
        platform: Uuid::from(PLATFORM),
        data: b"{}".to_vec(),
        sealed: None,
    }
}

pub(crate) async fn run_to_end(runner: &Runner) {
    while runner.step().await.expect("steps") != Progress::Idle {}
}

/// Projects the log to its end with a new runner.
pub(crate) async fn project(reads: &Reads) {
    run_to_end(&Runner::new(reads.store(), SHARD)).await;
}

/// Returns every row of every read model as text.
pub(crate) async fn dump(database: &Database) -> Vec<String> {
    let client = database.pg().client().await.expect("connects");
    let mut lines = vec![];
    for table in TABLES {
        let sql = format!("select '{table} ' || t::text from {table} t order by 1");
        lines.extend(client.query(&sql, &[]).await.expect("reads").iter().map(|row| row.get::<_, String>(0)));
    }
    lines
}
