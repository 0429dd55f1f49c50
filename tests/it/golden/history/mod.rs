//! The golden history, from the first release on. Each chapter was written once, by the binary of its release, and
//! never changes. Every later binary imports all chapters and must produce the same rows.
//!
//! `tests/golden/history/README.md` describes how to write a chapter.

mod deeds;
mod lines;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use daybook_domain::event::Schema;
use daybook_domain::{Event, Key, Kind};
use daybook_log::memory::MemoryLog;
use daybook_log::postgres::PostgresLog;
use daybook_log::{Log, Recorded};
use daybook_projector::{Reads, RecordedEvent, Versioned, custody, fold};
use daybook_tests::database::Database;
use lines::Line;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::blesses;
use crate::read_models::story::{SHARD, Story, TABLES, dump, project};

fn path(chapter: usize, kind: &str) -> PathBuf {
    super::golden().join("history").join(format!("{chapter}.{kind}"))
}

/// Texts of the chapters, oldest first.
fn chapters() -> Vec<String> {
    (1..).map_while(|chapter| fs::read_to_string(path(chapter, "ndjson")).ok()).collect()
}

/// Appends a chapter to a log, commit by commit.
async fn import(log: &dyn Log, chapter: &str) {
    let mut appender = log.appender(SHARD, Uuid::nil()).await.expect("opens");
    for batch in lines::batches(lines::read(chapter)) {
        appender.lock(&[], batch.recorded_at_ms).await.expect("locks");
        appender.append(batch).await.expect("appends");
    }
}

/// Every event of the history, upcast to its current version.
pub(super) async fn events() -> Vec<Event> {
    let log = MemoryLog::new();
    for chapter in chapters() {
        import(&log, &chapter).await;
    }
    let decode = |recorded: &Recorded| RecordedEvent::decode(recorded).expect("decodes").event;
    whole(&log).await.iter().map(decode).collect()
}

async fn whole(log: &dyn Log) -> Vec<Recorded> {
    let head = log.head(SHARD).await.expect("has a head").position;
    let events = log.read(SHARD, 0, head).await.expect("reads");
    assert_eq!(events.len() as u64, head, "a history is one page long");
    events
}

/// Content of a chapter's rows file: the hash of the chapter, the number of rows of each table, all rows, and the
/// states of transactions, which no table holds.
async fn rows(chapter: &str, database: &Database, reads: &Reads, log: &dyn Log) -> String {
    let rows = dump(database).await;
    let digest = hex::encode(Sha256::digest(chapter));
    let count = |table: &&str| rows.iter().filter(|row| row.split(' ').next() == Some(table)).count();
    let counts: Vec<_> = TABLES.iter().map(|table| format!("{table}: {}", count(table))).collect();
    let mut lines = vec![format!("sha256 of the chapter: {digest}")];
    lines.extend(counts.into_iter().chain(rows).chain(transactions(reads, log).await));
    lines.join("\n") + "\n"
}

/// States of all transactions, one line each.
async fn transactions(reads: &Reads, log: &dyn Log) -> Vec<String> {
    let events = whole(log).await;
    let own = events.iter().map(|recorded| &recorded.event);
    let ids: BTreeSet<_> = own
        .filter(|event| event.stream_kind == Kind::Transaction.code())
        .map(|event| event.stream.as_u128())
        .collect();
    let keys: Vec<_> = ids.into_iter().map(|id| Key { kind: Kind::Transaction, id }).collect();
    let found = reads.aggregates().records(SHARD, &keys).await.expect("reads");
    let line = |key: &Key| {
        let Versioned { version, state } = found.get(*key).expect("is there");
        format!("{} {version} {}", Uuid::from_u128(key.id), serde_json::to_string(state).expect("serializes"))
    };
    keys.iter().map(line).collect()
}

/// Compares rows with their golden file, and shows the first differing lines instead of thousands of equal ones.
fn check_rows(chapter: usize, rows: &str) {
    let path = path(chapter, "rows.txt");
    if blesses() {
        fs::write(&path, rows).expect("written");
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    let [known, found] = [&golden, rows].map(|text| text.lines().collect::<BTreeSet<_>>());
    let only = |these: &BTreeSet<&str>, sign| {
        let lines: Vec<_> = these.iter().take(20).map(|line| format!("{sign} {line}\n")).collect();
        lines.concat()
    };
    let (missing, surplus) = (&known - &found, &found - &known);
    assert!(
        golden == rows,
        "{}: {} rows are missing, {} are surplus\n{}{}",
        path.display(),
        missing.len(),
        surplus.len(),
        only(&missing, '-'),
        only(&surplus, '+'),
    );
}

/// Checks the trial balance and the safeguarding reconciliation of every custody.
async fn check_sums(reads: &Reads) {
    let (_, ledger) = reads.balances().trial_balance(SHARD, None).await.expect("reads");
    let mut sums: BTreeMap<_, i128> = BTreeMap::new();
    for row in &ledger {
        *sums.entry(row.currency).or_default() += row.balance();
    }
    assert!(sums.len() > 1 && sums.values().all(|sum| *sum == 0), "{sums:?}");
    for (whose, sides) in custody(&ledger) {
        assert_eq!(sides.difference(), 0, "{whose:?}: {sides:?}");
    }
}

/// Checks that the state of each aggregate from the tables equals the fold of its stream.
async fn check_states(reads: &Reads, log: &dyn Log) {
    let mut streams: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for recorded in whole(log).await {
        let happened = RecordedEvent::decode(&recorded).expect("can be read");
        streams.entry(happened.key).or_default().push(happened);
    }
    let keys: Vec<_> = streams.keys().copied().collect();
    let records = reads.aggregates().records(SHARD, &keys).await.expect("reads");
    for (key, stream) in streams {
        assert_eq!(records.get(key).cloned(), fold(None, &stream).expect("follow each other"), "{key:?}");
    }
}

#[tokio::test]
async fn golden_history_reproduces_its_recorded_rows() {
    let database = Database::create().await;
    let log: Arc<dyn Log> = Arc::new(PostgresLog::new(database.pg()));
    let reads = Reads::new(database.pg(), Arc::clone(&log));
    reads.versions().install(SHARD).await.expect("makes the tables");
    let mut newest = String::new();
    for (chapter, text) in (1..).zip(chapters()) {
        import(log.as_ref(), &text).await;
        project(&reads).await;
        assert_eq!(
            reads.store().position(SHARD).await.expect("reads"),
            log.head(SHARD).await.expect("has a head").position
        );
        check_sums(&reads).await;
        check_states(&reads, log.as_ref()).await;
        let rows = rows(&text, &database, &reads, log.as_ref()).await;
        check_rows(chapter, &rows);
        newest = rows;
    }
    // Older chapters have no events of newer read models.
    assert!(TABLES.iter().all(|table| newest.contains(&format!("\n{table} "))), "a table is empty");
}

#[tokio::test]
async fn chapter_import_is_byte_exact() {
    let database = Database::create().await;
    let log = PostgresLog::new(database.pg());
    let mut told = vec![];
    for chapter in chapters() {
        import(&log, &chapter).await;
        told.extend(chapter.lines().map(str::to_owned));
    }
    assert_eq!(written(&log, 0).await, told);
}

#[test]
fn history_covers_every_event_version() {
    let chapters = chapters();
    let lines = chapters.iter().flat_map(|chapter| lines::read(chapter));
    let told: BTreeSet<_> =
        lines.map(|line| Schema { event_type: line.event_type, version: line.schema_version }).collect();
    let known: BTreeSet<_> = Event::schemas().chain(Event::outdated()).map(|(schema, _)| schema).collect();
    let untold: Vec<_> = known.difference(&told).collect();
    assert!(untold.is_empty(), "tell them in a new chapter: {untold:?}");
}

/// Events after a position, as lines of a chapter.
async fn written(log: &dyn Log, after: u64) -> Vec<String> {
    let mut told = vec![];
    for recorded in whole(log).await.into_iter().filter(|recorded| recorded.position > after) {
        let Recorded { position, recorded_at_ms, event } = recorded;
        let before = log.boundary(SHARD, position - 1).await.expect("reads");
        let line = Line::of(before.commit_no + 1, position, recorded_at_ms, event);
        told.push(serde_json::to_string(&line).expect("serializes"));
    }
    told
}

/// Executes the commands of `deeds` after all chapters, and writes the resulting events as the next chapter.
#[tokio::test]
#[ignore = "writes a file that is kept for ever"]
async fn next_chapter_is_written() {
    let (log, chapters) = (Arc::new(MemoryLog::new()), chapters());
    for chapter in &chapters {
        import(log.as_ref(), chapter).await;
    }
    let head = log.head(SHARD).await.expect("has a head").position;
    let mut story = Story::after(log.clone()).await;
    story.tell_all(deeds::deeds()).await;
    let text = written(log.as_ref(), head).await.join("\n") + "\n";
    fs::write(path(chapters.len() + 1, "ndjson"), text).expect("written");
}
