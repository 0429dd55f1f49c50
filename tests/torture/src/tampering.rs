//! Changes that an owner of the database can make to the log, each with the statement that undoes it.

use std::ops::RangeInclusive;

use daybook_random::Random;

/// Kinds of tampering.
pub const KINDS: [&str; 5] = ["update", "delete", "insert", "swap", "truncate"];

/// Columns of an event, each with an SQL expression for a wrong value.
pub const EVENT: [(&str, &str); 16] = [
    ("shard", "7"),
    ("position", "position + 100000"),
    ("event_id", "gen_random_uuid()"),
    ("stream", "gen_random_uuid()"),
    ("stream_kind", "stream_kind % 10 + 1"),
    ("version", "version + 1000"),
    ("type", "type + 1"),
    ("schema_version", "schema_version + 1"),
    ("recorded_at", "recorded_at + interval '1 microsecond'"),
    ("effective_at", "coalesce(effective_at, recorded_at) + interval '1 ms'"),
    ("actor", "gen_random_uuid()"),
    ("cause_id", "gen_random_uuid()"),
    ("correlation_id", "gen_random_uuid()"),
    ("platform", "gen_random_uuid()"),
    ("data", "regexp_replace(data::text, '^\\{', '{ ')::json"),
    ("sealed_hash", "sha256(data::text::bytea)"),
];

/// Columns of the content of an event, without those of its place.
const VALUES: &[(&str, &str)] = EVENT.split_at(2).1;
/// Columns of an event except shard, position, stream and version.
const OTHER_COLUMNS: &str = "event_id, stream_kind, type, schema_version, recorded_at, effective_at, actor, cause_id, \
                    correlation_id, platform, data, sealed, sealed_hash";

/// Copies of all tables that are tampered with, from which rows are restored.
pub const KEEP: &str = "create table kept_event as table event; create table kept_commit as table commit;
    create table kept_tile as table tile; create table kept_checkpoint as table checkpoint;
    create unique index on kept_event (position); analyze kept_event";

/// One tampering.
#[derive(Clone, Debug)]
pub struct Tampering {
    /// Statement that tampers.
    pub sql: String,
    /// Statement that undoes it.
    pub undo: String,
    /// First changed position.
    pub first: u64,
    /// Positions of the commit of `first`, and one more: an insertion makes the commit longer.
    pub around: RangeInclusive<u64>,
}

/// Shape of a log: the last position of each commit, in order.
#[derive(Clone, Debug)]
pub struct Shape(pub Vec<u64>);

impl Shape {
    fn events(&self) -> u64 {
        self.0.last().copied().unwrap_or_default()
    }

    fn around(&self, position: u64) -> RangeInclusive<u64> {
        let commit = self.0.partition_point(|end| *end < position);
        let before = commit.checked_sub(1).and_then(|before| self.0.get(before)).copied().unwrap_or_default();
        before + 1..=self.0.get(commit).copied().unwrap_or(position) + 1
    }

    fn at(&self, first: u64, sql: String, undo: String) -> Tampering {
        Tampering { sql, undo, first, around: self.around(first) }
    }

    /// Returns a random tampering of this kind.
    pub fn tamper(&self, kind: &str, random: &mut Random) -> Tampering {
        let position = 1 + random.below_u64(self.events());
        let put_back = format!("insert into event select * from kept_event where position = {position}");
        match kind {
            "update" => {
                let (column, value) = random.pick(VALUES);
                let sql = format!("update event set {column} = {value} where position = {position}");
                self.at(position, sql, format!("delete from event where position = {position}; {put_back}"))
            }
            "delete" => self.at(position, format!("delete from event where position = {position}"), put_back),
            "insert" => self.insert(position, 1 + random.below_u64(self.events())),
            "swap" => {
                let other = 1 + (position + random.below_u64(self.events() - 1)) % self.events();
                let swap = format!(
                    "update event set position = -1 where position = {position};
                     update event set position = {position} where position = {other};
                     update event set position = {other} where position = -1"
                );
                self.at(position.min(other), swap.clone(), swap)
            }
            _ => self.truncate(random),
        }
    }

    /// Inserts a copy of the event `of`. Later events, and the ends of their commits, move by one position.
    fn insert(&self, position: u64, of: u64) -> Tampering {
        let sql = format!(
            "update event set position = -position where position >= {position};
             update event set position = 1 - position where position < 0;
             update commit set last_position = last_position + 1 where last_position >= {position};
             insert into event (shard, position, stream, version, {OTHER_COLUMNS})
                 select shard, {position}, gen_random_uuid(), 1, {OTHER_COLUMNS} from kept_event where position = {of}"
        );
        let undo = format!(
            "delete from event where position = {position};
             update event set position = -position where position > {position};
             update event set position = -position - 1 where position < 0;
             update commit set last_position = last_position - 1 where last_position > {position}"
        );
        self.at(position, sql, undo)
    }

    /// Removes the last commits of the log, with all rows in the database that would reveal it.
    fn truncate(&self, random: &mut Random) -> Tampering {
        let left = random.below_u64(self.0.len() as u64);
        let end = left.checked_sub(1).and_then(|last| self.0.get(usize::try_from(last).ok()?)).copied();
        let end = end.unwrap_or_default();
        let sql = format!(
            "delete from event where position > {end}; delete from commit where commit_no > {left};
             delete from checkpoint where size > {end}; delete from tile"
        );
        let undo = format!(
            "insert into event select * from kept_event where position > {end};
             insert into commit select * from kept_commit where commit_no > {left};
             insert into checkpoint select * from kept_checkpoint where size > {end};
             insert into tile table kept_tile"
        );
        self.at(end + 1, sql, undo)
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn position_belongs_to_first_commit_reaching_it() {
        let shape = Shape(vec![3, 4, 9]);
        for (position, around) in [(1, 1..=4), (3, 1..=4), (4, 4..=5), (5, 5..=10), (9, 5..=10)] {
            assert_eq!(shape.around(position), around);
        }
    }
}
