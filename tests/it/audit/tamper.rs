//! Random changes to the tables of a log, as only a database superuser can make them: about a thousand, each found and
//! located by verification.
//!
//! Not covered, because nothing is lost or nothing can detect the change: deleted boxes (the same as crypto-shredding),
//! the deletion of all tiles at once or of the database's checkpoints (anchors and events still have them), and a
//! changed time of a checkpoint.

use std::ops::RangeInclusive;

use daybook_checker::Report;
use daybook_log::raw::{RawCommit, RawEvent};
use daybook_random::Random;
use daybook_tests::shard;
use daybook_torture::tampering::EVENT;

use super::anchored::Anchored;

/// Number of changes of each kind.
const ITERATIONS: usize = 200;

/// Tables that are copied before the first change and restored after each.
const TABLES: [&str; 4] = ["event", "commit", "tile", "checkpoint"];

/// Columns of a table, each with an expression for a wrong value.
const COMMIT: [(&str, &str); 12] = [
    ("shard", "7"),
    ("commit_no", "commit_no + 100000"),
    ("batch", "gen_random_uuid()"),
    ("writer", "gen_random_uuid()"),
    ("last_position", "last_position + 1"),
    ("last_position", "last_position - 1"),
    ("recorded_at", "recorded_at + interval '1 ms'"),
    ("root", "set_byte(root, 5, get_byte(root, 5) # 1)"),
    ("root", "null"),
    ("signature", "set_byte(signature, 9, get_byte(signature, 9) # 1)"),
    ("signature", "null"),
    ("frontier", "null"),
];
const TILE: [(&str, &str); 5] = [
    ("shard", "7"),
    ("level", "level + 3"),
    ("n", "n + 1"),
    ("hashes", "set_byte(hashes, 7, get_byte(hashes, 7) # 1)"),
    ("hashes", "substring(hashes for length(hashes) - 32)"),
];
const CHECKPOINT: [(&str, &str); 4] = [
    ("size", "size + 1"),
    ("note", "replace(note, E'\\n' || size || E'\\n', E'\\n' || size - 1 || E'\\n')"),
    ("note", "overlay(note placing 'AAAA' from 25)"),
    ("note", "replace(note, ' ', '  ')"),
];

/// The place at which verification must report a change.
#[derive(Debug)]
enum At {
    /// One of the positions of the changed commit.
    Positions(RangeInclusive<u64>),
    /// A place whose text begins in this way and that has no position.
    Place(&'static str),
}

/// A log with the rows of its tables.
struct Target {
    anchored: Anchored,
    events: Vec<RawEvent>,
    commits: Vec<RawCommit>,
    tiles: Vec<(i16, i64)>,
    checkpoints: Vec<i64>,
}

impl Target {
    async fn new() -> Self {
        let anchored = Anchored::new().await;
        let events = anchored.log.raw_events(shard(), 0, u64::MAX, false).await.expect("reads");
        let commits = anchored.log.raw_commits(shard(), 0).await.expect("reads");
        let tiles = anchored.log.raw_tiles(shard(), (-1, -1)).await.expect("reads");
        let checkpoints = anchored.log.checkpoints(shard(), 0, 100).await.expect("reads");
        let target = Self {
            anchored,
            events,
            commits,
            tiles: tiles.iter().map(|tile| (tile.level, tile.n)).collect(),
            checkpoints: checkpoints.iter().map(|made| i64::try_from(made.size).expect("fits")).collect(),
        };
        assert!(target.tiles.len() > 1 && target.checkpoints.len() > 3, "{:?}", target.tiles);
        let report = target.anchored.verify(true).await;
        assert_eq!((report.findings, report.unchecked), (vec![], vec![]), "untouched");
        let copies = TABLES.map(|table| format!("create table kept_{table} as table {table};")).concat();
        target.behind_the_back(&copies).await;
        target
    }

    /// Runs SQL in a transaction in which the append-only triggers do not run.
    async fn behind_the_back(&self, sql: &str) {
        let client = self.anchored.database.pg().client().await.expect("connects");
        let sql = format!("begin; set local session_replication_role = replica; {sql}; commit");
        client.batch_execute(&sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    }

    /// Restores all tables. Uses `truncate`: rows removed by `delete` would stay in the table files, and each later
    /// scan would read them.
    async fn restore(&self) {
        let restore = |table| format!("truncate {table}; insert into {table} table kept_{table};");
        self.behind_the_back(&TABLES.map(restore).concat()).await;
    }

    /// Positions of the commit with this index, counted from 0.
    fn positions(&self, commit: usize) -> RangeInclusive<u64> {
        let before = commit.checked_sub(1).map_or(0, |before| self.commits[before].last_position);
        before + 1..=self.commits[commit].last_position
    }

    /// Positions of the commit that contains this position.
    fn around(&self, position: u64) -> RangeInclusive<u64> {
        let commit = self.commits.iter().position(|commit| commit.last_position >= position);
        self.positions(commit.expect("has a commit"))
    }

    fn pick_event(&self, random: &mut Random) -> u64 {
        random.up_to(self.events.len())
    }

    fn pick_commit(&self, random: &mut Random) -> usize {
        random.below(self.commits.len())
    }

    /// Makes `ITERATIONS` random changes and requires that the first finding of each is at the place that `tamper`
    /// returns.
    async fn many(&self, name: &str, tamper: impl Fn(&Self, &mut Random) -> (String, At)) {
        let mut random = Random::of_test(name);
        for time in 0..ITERATIONS {
            let (sql, at) = tamper(self, &mut random);
            self.behind_the_back(&sql).await;
            let Report { findings, .. } = self.anchored.verify(true).await;
            let first = findings.first();
            let is_there = match &at {
                At::Positions(positions) => {
                    first.and_then(|it| it.position).is_some_and(|position| positions.contains(&position))
                }
                At::Place(place) => first.is_some_and(|it| it.place.starts_with(place)),
            };
            assert!(is_there, "{name} {time}: {sql} has to show at {at:?}: {findings:#?}");
            self.restore().await;
        }
        let report = self.anchored.verify(true).await;
        assert_eq!((report.findings, report.unchecked), (vec![], vec![]), "restored");
    }
}

/// SQL condition that selects a tile.
fn of_tile((level, n): (i16, i64)) -> String {
    format!("shard = 1 and level = {level} and n = {n}")
}

#[tokio::test]
async fn updated_row_is_located() {
    let target = Target::new().await;
    let tamper = |target: &Target, random: &mut Random| {
        let (table, key, at, columns) = match random.below(8) {
            0 => {
                let key = of_tile(target.tiles[random.below(target.tiles.len())]);
                ("tile", key, At::Place("tile"), &TILE[..])
            }
            1 => {
                let size = target.checkpoints[random.below(target.checkpoints.len())];
                ("checkpoint", format!("size = {size}"), At::Place("checkpoint"), &CHECKPOINT[..])
            }
            2..5 => {
                let commit = target.pick_commit(random);
                let key = format!("commit_no = {}", commit + 1);
                ("commit", key, At::Positions(target.positions(commit)), &COMMIT[..])
            }
            _ => {
                let position = target.pick_event(random);
                let key = format!("position = {position}");
                ("event", key, At::Positions(target.around(position)), &EVENT[..])
            }
        };
        let (column, value) = columns[random.below(columns.len())];
        let at = match at {
            // The changed commit claims one event more, and that event is the first mismatch.
            At::Positions(own) if value == "last_position + 1" => At::Positions(*own.start()..=own.end() + 1),
            at => at,
        };
        (format!("update {table} set {column} = {value} where {key}"), at)
    };
    target.many("updated", tamper).await;
}

#[tokio::test]
async fn deleted_row_is_located() {
    let target = Target::new().await;
    let tamper = |target: &Target, random: &mut Random| match random.below(5) {
        0 => {
            let key = of_tile(target.tiles[random.below(target.tiles.len())]);
            (format!("delete from tile where {key}"), At::Place("tile"))
        }
        1 | 2 => {
            let commit = target.pick_commit(random);
            let at = At::Positions(target.positions(commit));
            (format!("delete from commit where commit_no = {}", commit + 1), at)
        }
        _ => {
            let position = target.pick_event(random);
            let at = At::Positions(target.around(position));
            (format!("delete from event where position = {position}"), at)
        }
    };
    target.many("deleted", tamper).await;
}

/// Columns of an event except its shard, position, stream and version.
const OTHER_COLUMNS: &str = "event_id, stream_kind, type, schema_version, recorded_at, effective_at, actor, cause_id, \
                    correlation_id, platform, data, sealed, sealed_hash";

#[tokio::test]
async fn inserted_row_is_located() {
    let target = Target::new().await;
    let tamper = |target: &Target, random: &mut Random| match random.below(6) {
        // A copy of a tile, at another place or at a level that does not exist yet.
        0 => {
            let (level, n) = [(0, 1), (1, 1), (2, 0), (7, 0), (-3, 2)][random.below(5)];
            let sql =
                format!("insert into tile select shard, {level}, {n}, hashes from tile where level = 0");
            (sql, At::Place("tile"))
        }
        // A checkpoint of the log under another size.
        1 => {
            let size = target.checkpoints[random.below(target.checkpoints.len())];
            let sql = format!(
                "insert into checkpoint select shard, size + {}, note, made_at from checkpoint where size = {size}",
                random.up_to(3)
            );
            (sql, At::Place("checkpoint"))
        }
        // A commit after the last one, with an event more or without.
        2 => {
            let (end, commit) = (target.events.len() as u64, target.commits.len());
            let sql = format!(
                "insert into commit (shard, commit_no, batch, writer, last_position, recorded_at, root, signature,
                     frontier) select shard, {}, gen_random_uuid(), writer, {}, recorded_at, root, signature, frontier
                 from commit where commit_no = {}",
                commit + 1,
                end + random.below(2) as u64,
                target.pick_commit(random) + 1
            );
            (sql, At::Positions(end..=end + 1))
        }
        // An inserted event. The later events move by one position, with the ends of their commits or without.
        which => {
            let (position, of) = (target.pick_event(random), target.pick_event(random));
            let move_commits = format!(
                "update commit set last_position = last_position + 1 where last_position >= {position};"
            );
            let sql = format!(
                "update event set position = -position where position >= {position};
                 update event set position = 1 - position where position < 0;
                 {}
                 insert into event (shard, position, stream, version, {OTHER_COLUMNS})
                     select shard, {position}, gen_random_uuid(), 1, {OTHER_COLUMNS} from kept_event where position = {of}",
                if which % 2 == 0 { &move_commits } else { "" }
            );
            let around = target.around(position);
            (sql, At::Positions(*around.start()..=*around.end() + 1))
        }
    };
    target.many("inserted", tamper).await;
}

#[tokio::test]
async fn swapped_rows_are_located() {
    let target = Target::new().await;
    let swap = |table: &str, key: &str, (one, other): (u64, u64)| {
        format!(
            "update {table} set {key} = -1 where {key} = {one};
             update {table} set {key} = {one} where {key} = {other};
             update {table} set {key} = {other} where {key} = -1"
        )
    };
    let two = |random: &mut Random, count: usize| {
        let one = random.below(count);
        let other = (one + 1 + random.below(count - 1)) % count;
        (one.min(other), one.max(other))
    };
    let tamper = |target: &Target, random: &mut Random| match random.below(6) {
        0 => {
            let (one, other) = two(random, target.checkpoints.len());
            let sizes = [one, other].map(|at| u64::try_from(target.checkpoints[at]).expect("fits"));
            (swap("checkpoint", "size", sizes.into()), At::Place("checkpoint"))
        }
        1 | 2 => {
            let (one, other) = two(random, target.commits.len());
            let sql = swap("commit", "commit_no", (one as u64 + 1, other as u64 + 1));
            (sql, At::Positions(target.positions(one)))
        }
        _ => {
            let (one, other) = two(random, target.events.len());
            let sql = swap("event", "position", (one as u64 + 1, other as u64 + 1));
            (sql, At::Positions(target.around(one as u64 + 1)))
        }
    };
    target.many("swapped", tamper).await;
}

/// The cut removes the later checkpoints and tiles too. The rest is a valid earlier state of the log, so only an anchor
/// can reveal the cut.
#[tokio::test]
async fn truncated_tail_is_found_only_by_anchor() {
    let target = Target::new().await;
    let mut random = Random::of_test("cut");
    for time in 0..ITERATIONS {
        // The first time, the whole log is cut.
        let left = if time == 0 { 0 } else { target.pick_commit(&mut random) };
        let end = left.checked_sub(1).map_or(0, |last| target.commits[last].last_position);
        let cut = format!(
            "delete from event where position > {end}; delete from commit where commit_no > {left};
             delete from checkpoint where size > {end}; delete from tile where {end} < 256"
        );
        target.behind_the_back(&cut).await;
        let alone = target.anchored.verify(false).await;
        assert_eq!((alone.findings, alone.unchecked), (vec![], vec![]), "{time}: {cut}");
        let found = target.anchored.verify(true).await.findings;
        let first = found.first().expect("is found");
        assert_eq!(first.position, Some(end + 1), "{time}: {found:?}");
        assert!(first.what.contains("the log was cut"), "{time}: {found:?}");
        target.restore().await;
    }
}

/// An attacker with write access to `commit` can have altered commits signed again: the service computes and signs
/// roots of commits without one.
#[tokio::test]
async fn commit_with_removed_root_is_found() {
    let target = Target::new().await;
    let take = |from: usize, to: usize| {
        format!(
            "update commit set root = null, signature = null, frontier = null
             where commit_no between {from} and {to}"
        )
    };
    let end = target.commits.len();
    for (from, to, with_anchor) in
        [(5, 5, false), (5, 8, false), (1, 1, true), (end, end, true), (9, end, true)]
    {
        // The checkpoints in the database reveal the change too, unless they are deleted.
        let forget = if with_anchor { "" } else { "; delete from checkpoint" };
        target.behind_the_back(&format!("{}{forget}", take(from, to))).await;
        let found = target.anchored.verify(with_anchor).await.findings;
        let place = target.positions(from - 1);
        let position = found.first().and_then(|it| it.position);
        assert!(position.is_some_and(|position| place.contains(&position)), "{from} to {to}: {found:?}");
        target.restore().await;
    }
}
