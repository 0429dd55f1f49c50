//! The projector: its rows equal the fold of the log, with any number of processes and after any interruption.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use daybook_domain::account::Account;
use daybook_domain::node::NodeKind;
use daybook_domain::process::Process;
use daybook_domain::subnet::Allowed;
use daybook_domain::subnet::update::Update;
use daybook_domain::testing::fixture::{self, ANN, ANNS, ASLEEP, BOB, BOBS, BOBS_BANK, GATED, OWNER, WIRED};
use daybook_domain::time::DAY_MS;
use daybook_domain::transaction::Status;
use daybook_domain::user::SubDocumentStatus;
use daybook_domain::{
    AccountId, Command, Currency, Key, Kind, State, States, Timestamp, TransactionId, UserId,
};
use daybook_log::Head;
use daybook_log::memory::MemoryLog;
use daybook_log::postgres::PostgresLog;
use daybook_projector::{DuePosition, Error, Page, Progress, Question, Reads, Runner};
use daybook_tests::database::Database;
use tokio::sync::watch;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::read_models::story::{SHARD, Story, dump, plain, project, run_to_end};

const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(20);
/// A position before every to-do.
const FIRST: DuePosition = (Timestamp::from_ms(0), 0);

/// Records one payment from Ann to Bob for each of these numbers.
async fn pay(story: &mut Story, numbers: std::ops::Range<u128>) {
    story.tell_all(numbers.map(|number| fixture::pay(number, 5))).await;
}

/// Records payments in every status, a subnet and a subscription. No comments.
async fn a_day(story: &mut Story) {
    pay(story, 1_000..1_020).await;
    story.tell_all((1_000..1_015).map(fixture::debit)).await;
    story.tell_all((1_000..1_010).map(fixture::credit)).await;
    story.tell_all((1_000..1_005).map(fixture::settle)).await;
    story.tell(fixture::subnet(1, ANNS)).await;
    story.tell(fixture::subscription(1)).await;
}

pub(crate) async fn count(database: &Database, sql: &str) -> i64 {
    let client = database.pg().client().await.expect("connects");
    client.query_one(sql, &[]).await.expect("counts").get(0)
}

#[tokio::test]
async fn records_equal_log_at_any_cursor() {
    let mut story = Story::begin().await;
    a_day(&mut story).await;
    let (reads, _database) = story.reads().await;
    let keys: Vec<Key> = story.world.states().map(|(key, _)| *key).collect();
    let runner = Runner::new(reads.store(), SHARD);
    for _ in 0..2 {
        let records = reads.aggregates().records(SHARD, &keys).await.expect("reads");
        for (key, state) in story.world.states() {
            assert_eq!(records.get(*key).map(|found| &found.state), Some(state));
            assert_eq!(records.get(*key).map(|found| found.version), story.versions.get(key).copied());
        }
        run_to_end(&runner).await;
    }
    // Rows that are one event behind the log, and rows that are several events behind.
    story.tell(fixture::settle(1_005)).await;
    story.tell(fixture::credit(1_010)).await;
    story.tell(fixture::settle(1_010)).await;
    let locked = Update { allowed: Some(Allowed::Locked), ..fixture::change_subnet(1, ANNS) };
    story.tell(locked).await;
    let payments = [1_005, 1_010].map(|number| Key::from(fixture::transaction(number)));
    for key in payments.into_iter().chain([fixture::subnet(1, ANNS).id.into()]) {
        let found = reads.aggregates().record(SHARD, key).await.expect("reads");
        assert_eq!(found.as_ref().map(|found| &found.state), story.world.state(key));
    }
}

#[tokio::test]
async fn rows_equal_aggregate_states() {
    let mut story = Story::begin().await;
    a_day(&mut story).await;
    let (reads, database) = story.reads().await;
    project(&reads).await;
    let client = database.pg().client().await.expect("connects");
    for (key, state) in story.world.states() {
        let id = Uuid::from_u128(key.id);
        let text = async |table: &str| -> String {
            let sql = format!("select state from {table} where shard = 1 and id = $1");
            client.query_one(&sql, &[&id]).await.expect("is there").get(0)
        };
        match state {
            State::Platform(state) => {
                assert_eq!(serde_json::from_str(&text("platforms_v1").await).ok().as_ref(), Some(state));
            }
            State::User(state) => {
                assert_eq!(serde_json::from_str(&text("users_v1").await).ok().as_ref(), Some(state));
            }
            State::Node(state) => {
                assert_eq!(serde_json::from_str(&text("nodes_v1").await).ok().as_ref(), Some(state));
            }
            State::Transaction(state) => {
                let sql = "select platform, status from transactions_v2 where shard = 1 and id = $1";
                let row = client.query_one(sql, &[&id]).await.expect("is there");
                assert_eq!(row.get::<_, Uuid>(0).as_u128(), state.platform.as_u128());
                assert_eq!(row.get::<_, &str>(1), state.status.as_str());
            }
            State::Custody(state) => {
                assert_eq!(serde_json::from_str(&text("custodies_v1").await).ok().as_ref(), Some(state));
            }
            State::Roles(state) => {
                assert_eq!(serde_json::from_str(&text("roles_v1").await).ok().as_ref(), Some(state));
            }
            State::Evidence(state) => {
                assert_eq!(serde_json::from_str(&text("evidence_v1").await).ok().as_ref(), Some(state));
            }
            State::Break(state) => {
                assert_eq!(serde_json::from_str(&text("breaks_v1").await).ok().as_ref(), Some(state));
            }
            State::Operation(state) => {
                assert_eq!(serde_json::from_str(&text("operations_v1").await).ok().as_ref(), Some(state));
            }
            State::Account(state) => {
                let sql = "select posted, held, pending_in, entries from balances_v2 where shard = 1 and account = $1";
                let row = client.query_one(sql, &[&id]).await.expect("is there");
                let Account { posted, held, pending_in, .. } = **state;
                assert_eq!((row.get(0), row.get(1), row.get(2)), (posted, held, pending_in));
                assert_eq!(Some(row.get::<_, i32>(3).unsigned_abs()), story.versions.get(key).copied());
            }
            State::Subnet(state) => {
                assert_eq!(serde_json::from_str(&text("subnets_v1").await).ok().as_ref(), Some(state));
            }
            State::Subscription(state) => {
                assert_eq!(serde_json::from_str(&text("subscriptions_v1").await).ok().as_ref(), Some(state));
            }
            // Not projected: read from the log on request.
            State::Attachment(_) | State::Attestation(_) | State::Statement(_) => {}
        }
    }
    // Every sixteenth entry of an account has a row, beginning with the first. The sum of all entries equals `posted`.
    let entries = story.entries().await;
    let rows = client.query("select account, n, position from entries_v2 order by position", &[]).await;
    let row = |row: &Row| {
        (
            row.get::<_, Uuid>(0).as_u128(),
            row.get::<_, i32>(1).unsigned_abs(),
            row.get::<_, i64>(2).unsigned_abs(),
        )
    };
    let found: Vec<_> = rows.expect("are there").iter().map(row).collect();
    let expected = entries.iter().filter(|(entry, _)| entry.version % 16 == 1);
    assert_eq!(
        found,
        expected.map(|(entry, _)| (entry.key.id, entry.version, entry.position)).collect::<Vec<_>>()
    );
    let mut sums: HashMap<Key, i64> = HashMap::new();
    for (happened, entry) in &entries {
        *sums.entry(happened.key).or_default() += entry.delta;
    }
    for (key, posted) in sums {
        assert!(
            matches!(story.world.state(key), Some(State::Account(account)) if account.posted == posted),
            "{key:?}"
        );
    }
    assert_eq!(reads.store().position(SHARD).await.expect("reads"), story.head().await);
}

#[tokio::test]
async fn states_use_effective_time_of_events() {
    let mut story = Story::begin().await;
    let (reads, _database) = story.reads().await;
    story.tell(fixture::advance_clock(DAY_MS)).await;
    let id = UserId::from_u128(1 << 80);
    story.tell(fixture::person(id, &["SSN"])).await;
    let created = story.world.now();
    story.tell(fixture::verify(id, SubDocumentStatus::Valid)).await;
    let verified = story.world.now();
    for _ in 0..2 {
        let found =
            reads.aggregates().record(SHARD, id.into()).await.expect("reads").map(|found| found.state);
        let Some(State::User(user)) = found else { panic!("no user: {found:?}") };
        let times = [created, verified].map(|at| at.plus_ms(DAY_MS));
        assert_eq!([user.created_at, user.updated_at], times);
        let timelines = reads.aggregates().timelines(SHARD, &[id.into()]).await.expect("reads");
        let told = timelines[&Key::from(id)].iter();
        let told: Vec<_> = told.map(|one| (one.recorded_at, one.effective_at, one.platform)).collect();
        // The user's document was recorded in the commit that created the user.
        let expected = [created, created, verified].map(|at| (at, at.plus_ms(DAY_MS), fixture::PLATFORM));
        assert_eq!(told, expected);
        project(&reads).await;
    }
}

#[tokio::test]
async fn projector_restarted_each_commit_writes_same_rows() {
    let mut story = Story::begin().await;
    let (often, restarted) = story.reads().await;
    // A new runner for each command: no runner keeps state between pages.
    for number in 1_000..1_006 {
        pay(&mut story, number..number + 1).await;
        for step in [fixture::debit, fixture::credit, fixture::settle] {
            project(&often).await;
            story.tell(step(number)).await;
        }
    }
    project(&often).await;
    let (once, database) = story.reads().await;
    project(&once).await;
    assert_eq!(dump(&restarted).await, dump(&database).await);
}

#[tokio::test]
async fn postgres_log_and_memory_log_project_equally() {
    let database = Database::create().await;
    let mut stored = Story::on(Arc::new(PostgresLog::new(database.pg()))).await;
    let mut remembered = Story::begin().await;
    for story in [&mut stored, &mut remembered] {
        a_day(story).await;
    }
    let reads = Reads::new(database.pg(), Arc::clone(&stored.log));
    reads.versions().install(SHARD).await.expect("makes the tables");
    project(&reads).await;
    let (once, other) = remembered.reads().await;
    project(&once).await;
    assert_eq!(dump(&database).await, dump(&other).await);
}

#[tokio::test]
async fn projection_step_may_be_dropped_anytime() {
    let mut story = Story::begin().await;
    let (reads, database) = story.reads().await;
    let runner = Runner::new(reads.store(), SHARD);
    for number in 0..60 {
        pay(&mut story, 1_000 + number..1_001 + number).await;
        let moment = Duration::from_micros(u64::try_from(number).expect("small") * 150);
        let _ = tokio::time::timeout(moment, runner.step()).await;
    }
    // A dropped step leaves a database transaction that is rolled back later. Until then the cursor is held elsewhere.
    while !matches!(runner.step().await, Ok(Progress::Idle)) {}
    let (once, other) = story.reads().await;
    project(&once).await;
    assert_eq!(dump(&database).await, dump(&other).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_runners_project_each_event_once() {
    let mut story = Story::begin().await;
    let database = Database::create().await;
    let (stop, stopped) = watch::channel(false);
    let reads = || Reads::new(database.pg(), Arc::clone(&story.log));
    let all = [reads(), reads(), reads()];
    let running: Vec<_> = all
        .iter()
        .map(|reads| tokio::spawn(Runner::new(reads.store(), SHARD).run(stopped.clone())))
        .collect();
    a_day(&mut story).await;
    let head = story.head().await;
    for reads in &all {
        // The tables may not exist yet.
        while reads.store().caught_up(SHARD, head, CATCH_UP_TIMEOUT).await.ok() != Some(head) {}
    }
    stop.send(true).expect("somebody runs");
    for runner in running {
        runner.await.expect("ends well");
    }
    let (once, other) = story.reads().await;
    project(&once).await;
    assert_eq!(dump(&database).await, dump(&other).await);
}

#[tokio::test]
async fn pages_stay_stable_while_list_grows() {
    let mut story = Story::begin().await;
    let (reads, _database) = story.reads().await;
    let runner = Runner::new(reads.store(), SHARD);
    pay(&mut story, 1_000..1_025).await;
    run_to_end(&runner).await;
    let page =
        |user, number| reads.lists().transactions_of_user(SHARD, user, None, Page { number, size: 10 });
    let first = page(BOB, 1).await.expect("lists");
    let expected: Vec<TransactionId> = (1_000..1_010).map(fixture::transaction).collect();
    assert_eq!((&first.items, first.total, first.position), (&expected, 25, story.head().await));
    pay(&mut story, 1_025..1_031).await;
    run_to_end(&runner).await;
    assert_eq!(page(BOB, 1).await.expect("lists").items, expected);
    let last = page(BOB, 4).await.expect("lists");
    assert_eq!((last.items, last.total), (vec![fixture::transaction(1_030)], 31));
    // Ann sent all of these payments and received one earlier transaction.
    assert_eq!(page(ANN, 1).await.expect("lists").total, 32);
    let nothing = page(ANN, u32::MAX).await.expect("lists");
    assert_eq!((nothing.items, nothing.total), (vec![], 32));
}

#[tokio::test]
async fn transaction_with_oneself_is_listed_once() {
    let mut story = Story::begin().await;
    let (reads, _database) = story.reads().await;
    let runner = Runner::new(reads.store(), SHARD);
    story.tell(fixture::fund(BOBS, 100)).await;
    let payment = fixture::payment(1_000, 5);
    story
        .tell(daybook_domain::transaction::create::Create { by: BOB, from: BOBS, to: GATED, ..payment })
        .await;
    run_to_end(&runner).await;
    let listed = reads
        .lists()
        .transactions_of_user(SHARD, BOB, None, Page { number: 1, size: 10 })
        .await
        .expect("lists");
    assert_eq!((listed.items.last(), listed.total), (Some(&fixture::transaction(1_000)), 2));
}

#[tokio::test]
async fn node_list_shows_active_nodes_of_type() {
    let story = Story::begin().await;
    let (reads, _database) = story.reads().await;
    let first = Page { number: 1, size: 10 };
    let before = reads.lists().nodes_of_user(SHARD, BOB, None, first).await.expect("lists");
    assert_eq!((before.items, before.total, before.position), (vec![], 0, 0));
    project(&reads).await;
    let bobs = reads.lists().nodes_of_user(SHARD, BOB, None, first).await.expect("lists");
    assert_eq!((&bobs.items, bobs.total), (&vec![BOBS, BOBS_BANK, WIRED, GATED], 4));
    assert!(!bobs.items.contains(&ASLEEP));
    let second = Page { number: 2, size: 1 };
    let listed =
        reads.lists().nodes_of_user(SHARD, BOB, Some(NodeKind::DepositUs), second).await.expect("lists");
    assert_eq!((listed.items, listed.total), (vec![GATED], 2));
    let beyond = reads
        .lists()
        .nodes_of_user(SHARD, OWNER, Some(NodeKind::LedgerUs), Page { number: 9, size: 5 })
        .await;
    assert_eq!(beyond.map(|listed| (listed.items, listed.total)).expect("lists"), (vec![], 2));
}

#[tokio::test]
async fn list_includes_events_recorded_before_request() {
    let mut story = Story::begin().await;
    let (reads, _database) = story.reads().await;
    let (stop, stopped) = watch::channel(false);
    let running = tokio::spawn(Runner::new(reads.store(), SHARD).run(stopped));
    assert_eq!(
        reads.store().caught_up(SHARD, story.head().await, CATCH_UP_TIMEOUT).await.expect("catches up"),
        story.head().await
    );
    for number in 1_000..1_020 {
        pay(&mut story, number..number + 1).await;
        let listed = reads
            .lists()
            .transactions_of_user(SHARD, BOB, None, Page { number: 1, size: 100 })
            .await
            .expect("lists");
        assert_eq!(listed.items.last(), Some(&fixture::transaction(number)));
    }
    stop.send(true).expect("it runs");
    running.await.expect("ends well");
}

#[tokio::test]
async fn unknown_event_stops_projection_before_it() {
    let mut story = Story::begin().await;
    let (reads, database) = story.reads().await;
    let runner = Runner::new(reads.store(), SHARD);
    pay(&mut story, 1_000..1_003).await;
    let good = story.head().await;
    let stranger = Key { kind: Kind::Transaction, id: 77_777 };
    story.append(vec![plain(stranger, 1)]).await;
    pay(&mut story, 1_003..1_004).await;
    assert!(matches!(runner.step().await, Ok(Progress::Moved { position, .. }) if position == good));
    let rows = dump(&database).await;
    for _ in 0..2 {
        let stopped = runner.step().await;
        assert!(
            matches!(stopped, Err(Error::Undecodable { position, .. }) if position == good + 1),
            "{stopped:?}"
        );
        assert_eq!(reads.store().position(SHARD).await.expect("reads"), good);
    }
    assert_eq!(dump(&database).await, rows);
    // Lists stay at the last good position. A record read by its id is as fresh as the log.
    let listed = reads
        .lists()
        .transactions_of_user(SHARD, BOB, None, Page { number: 1, size: 10 })
        .await
        .expect("lists");
    assert_eq!((listed.total, listed.position), (3, good));
    let key = Key::from(fixture::transaction(1_003));
    assert_eq!(
        reads.aggregates().record(SHARD, key).await.expect("reads").map(|found| found.version),
        Some(1)
    );
    assert!(matches!(reads.aggregates().record(SHARD, stranger).await, Err(Error::Undecodable { .. })));
}

#[tokio::test]
async fn unknown_event_stops_projection_before_its_commit() {
    let mut story = Story::begin().await;
    let (reads, _database) = story.reads().await;
    let good = story.head().await;
    let strangers = [77_777, 88_888].map(|id| plain(Key { kind: Kind::User, id }, 1));
    story.append(strangers.to_vec()).await;
    let runner = Runner::new(reads.store(), SHARD);
    assert!(matches!(runner.step().await, Ok(Progress::Moved { position, .. }) if position == good));
    assert!(runner.step().await.is_err());
}

#[tokio::test]
async fn to_dos_exist_exactly_while_due() {
    let mut story = Story::begin().await;
    let (reads, database) = story.reads().await;
    let runner = Runner::new(reads.store(), SHARD);
    run_to_end(&runner).await;
    let pg = database.pg();
    let due = async |process, now: Timestamp, after: DuePosition| {
        let question = Question { process, platform: None, now, after, limit: 100 };
        pg.tx("test.due", async |tx: &daybook_pg::Transaction<'_>| {
            reads.lists().due(tx, SHARD, question).await
        })
        .await
        .expect("answers")
    };
    let far = Timestamp::from_ms(1 << 40);
    // Dan's identity check is pending.
    assert_eq!(due(Process::Verification, far, FIRST).await.len(), 1);
    assert_eq!(due(Process::Settlement, far, FIRST).await, vec![]);
    assert_eq!(due(Process::Verification, Timestamp::from_ms(0), FIRST).await, vec![]);
    pay(&mut story, 1_000..1_002).await;
    for (step, number) in
        [(fixture::debit as fn(u128) -> Command, 1), (fixture::credit, 2), (fixture::settle, 3)]
    {
        run_to_end(&runner).await;
        let all = due(Process::Settlement, far, FIRST).await;
        assert_eq!(all.len(), 2);
        let found = *all.iter().find(|due| due.id == 1_000).expect("is to be done");
        assert_eq!(found.step, number);
        assert!(due(Process::Settlement, found.due_at, FIRST).await.contains(&found));
        let behind = due(Process::Settlement, far, (found.due_at, found.id)).await;
        assert!(!behind.contains(&found));
        story.tell(step(1_000)).await;
    }
    run_to_end(&runner).await;
    let left = due(Process::Settlement, far, FIRST).await;
    assert_eq!(left.iter().map(|due| due.id).collect::<Vec<_>>(), vec![1_001]);
}

#[tokio::test]
async fn worker_locks_to_dos_without_blocking_projection() {
    let mut story = Story::begin().await;
    let (reads, database) = story.reads().await;
    pay(&mut story, 1_000..1_002).await;
    project(&reads).await;
    let far = Timestamp::from_ms(1 << 40);
    let pg = database.pg();
    let take = async |tx: &daybook_pg::Transaction<'_>| {
        let (process, platform) = (Process::Settlement, None);
        let question = Question { process, platform, now: far, after: FIRST, limit: 2 };
        reads
            .lists()
            .due(tx, SHARD, question)
            .await
            .map(|due| due.iter().map(|due| due.id).collect::<Vec<_>>())
    };
    story.tell(fixture::debit(1_000)).await;
    let (one, other, position) = pg
        .tx("test.one", async |tx: &daybook_pg::Transaction<'_>| {
            let one = take(tx).await?;
            let other = pg.tx("test.other", take).await?;
            project(&reads).await;
            Ok::<_, Error>((one, other, reads.store().position(SHARD).await?))
        })
        .await
        .expect("answers");
    assert_eq!((one, other, position), (vec![1_000, 1_001], vec![], story.head().await));
    assert_eq!(pg.tx("test.other", take).await.expect("answers").len(), 2, "it was given back");
}

#[tokio::test]
async fn accounts_and_timelines_are_always_current() {
    let mut story = Story::begin().await;
    let (reads, _database) = story.reads().await;
    pay(&mut story, 1_000..1_001).await;
    story.tell(fixture::debit(1_000)).await;
    let [anns, bobs] = [ANNS, BOBS].map(|node| AccountId::of(node, Currency::USD));
    let head = reads.aggregates().head(SHARD).await.expect("answers");
    let accounts = reads.aggregates().accounts_since(SHARD, head, &[anns, bobs]).await.expect("reads");
    assert_eq!(accounts.get(&anns), Some(&story.world.account(ANNS, Currency::USD)));
    assert_eq!(accounts.get(&bobs), None);
    let users = AccountId::from_u128(ANN.as_u128());
    let found = reads.aggregates().accounts_since(SHARD, head, &[users]).await.expect("reads");
    assert!(found.is_empty(), "a stream of another kind");
    let key = Key::from(fixture::transaction(1_000));
    let timelines = reads.aggregates().timelines(SHARD, &[key, key]).await.expect("reads");
    assert_eq!(timelines[&key].iter().map(|happened| happened.version).collect::<Vec<_>>(), vec![1, 2]);
    let folded = daybook_projector::fold(None, &timelines[&key]).expect("folds").map(|folded| folded.state);
    assert!(matches!(&folded, Some(State::Transaction(found)) if found.status == Status::ProcessingDebit));
    assert!(
        daybook_projector::fold(None, &timelines[&key][1..]).is_err(),
        "a stream cannot begin in the middle"
    );
}

#[tokio::test]
async fn id_of_another_kind_is_not_found() {
    let story = Story::begin().await;
    let (reads, _database) = story.reads().await;
    let user_as_node = Key { kind: Kind::Node, id: ANN.as_u128() };
    assert_eq!(reads.aggregates().record(SHARD, user_as_node).await.expect("reads"), None);
    assert_eq!(reads.aggregates().timelines(SHARD, &[user_as_node]).await.expect("reads"), HashMap::new());
}

#[tokio::test]
async fn repeated_projection_duplicates_no_rows() {
    let mut story = Story::begin().await;
    let (reads, database) = story.reads().await;
    a_day(&mut story).await;
    project(&reads).await;
    let rows = dump(&database).await;
    let client = database.pg().client().await.expect("connects");
    let head = story.head().await;
    for position in [head - 1, head / 2, 1] {
        let Head { position, commit_no, .. } = story.log.boundary(SHARD, position).await.expect("a boundary");
        let sql =
            format!("update cursor set position = {position}, commit_no = {commit_no} where name = 'reads'");
        client.batch_execute(&sql).await.expect("it goes back");
        // The step may refuse events that it has already projected; it may not count them twice.
        let again = Runner::new(reads.store(), SHARD).step().await;
        assert_eq!(dump(&database).await, rows, "from {position} on: {again:?}");
    }
}

#[tokio::test]
async fn log_shorter_than_cursor_is_not_projected() {
    let story = Story::begin().await;
    let (reads, database) = story.reads().await;
    project(&reads).await;
    let empty = Reads::new(database.pg(), Arc::new(MemoryLog::new()));
    assert!(matches!(Runner::new(empty.store(), SHARD).step().await, Err(Error::Ahead { head: 0, .. })));
}

#[tokio::test]
async fn processes_may_create_tables_concurrently() {
    let story = Story::begin().await;
    let database = Database::create().await;
    let reads = Reads::new(database.pg(), Arc::clone(&story.log));
    let made = futures::future::join_all((0..8).map(|_| reads.versions().install(SHARD))).await;
    assert!(made.iter().all(Result::is_ok), "{made:?}");
}
