//! `daybook log stats`: number and size of events, by type and by kind of stream.

use std::collections::BTreeMap;

use daybook_log::postgres::PostgresLog;
use daybook_log::raw::RawCount;
use daybook_log::{Log, Shard};
use serde_json::{Value, json};

use super::{kind_name, moment, type_name};
use crate::config::ShardOption;
use crate::error::Error;
use crate::out;
use crate::shards::{chosen, print_heading};

/// Number of positions that one statement counts.
const POSITIONS_PER_QUERY: u64 = 50_000;

/// Counts for a log.
#[derive(Default)]
struct Stats {
    shard: Shard,
    position: u64,
    commits: u64,
    /// By name and version of the event.
    types: BTreeMap<(String, i16), Size>,
    /// By kind of stream.
    kinds: BTreeMap<String, Size>,
    all: Size,
    times: Option<(i64, i64)>,
}

/// Number of events and boxes, and their sizes.
#[derive(Clone, Copy, Default)]
struct Size {
    events: u64,
    data_bytes: u64,
    boxes: u64,
    box_bytes: u64,
}

impl Size {
    fn add(&mut self, count: &RawCount) {
        self.events += count.events;
        self.data_bytes += count.data_bytes;
        self.boxes += count.boxes;
        self.box_bytes += count.box_bytes;
    }

    fn as_json(self) -> Value {
        let Self { events, data_bytes, boxes, box_bytes } = self;
        json!({"events": events, "data_bytes": data_bytes, "boxes": boxes, "box_bytes": box_bytes})
    }

    fn as_text(self, name: &str) -> String {
        let Self { events, data_bytes, boxes, box_bytes } = self;
        format!("{name:<36} {events:>12} {data_bytes:>14} {boxes:>12} {box_bytes:>14}")
    }
}

/// Counts the events of each shard's log and prints the result.
pub(super) async fn stats(log: &PostgresLog, of: ShardOption, json: bool) -> Result<(), Error> {
    let shards = chosen(log, of.shard).await?;
    for shard in &shards {
        let stats = count(log, *shard).await?;
        print_heading(&shards, *shard, json)?;
        out::answer(json, &stats.as_json(), &stats.as_text())?;
    }
    Ok(())
}

async fn count(log: &PostgresLog, shard: Shard) -> Result<Stats, daybook_log::Error> {
    let head = log.head(shard).await?;
    let mut stats = Stats { shard, position: head.position, commits: head.commit_no, ..Stats::default() };
    let mut after = 0;
    while after < head.position {
        let up_to = (after + POSITIONS_PER_QUERY).min(head.position);
        for count in log.raw_counts(shard, after, up_to).await? {
            stats.add(&count);
        }
        after = up_to;
    }
    Ok(stats)
}

impl Stats {
    fn add(&mut self, count: &RawCount) {
        let name = type_name(count.event_type, count.schema_version);
        self.types.entry((name, count.schema_version)).or_default().add(count);
        self.kinds.entry(kind_name(count.stream_kind)).or_default().add(count);
        self.all.add(count);
        let (first, last) = self.times.unwrap_or((count.first_at_us, count.last_at_us));
        self.times = Some((first.min(count.first_at_us), last.max(count.last_at_us)));
    }

    fn as_json(&self) -> Value {
        let types = self.types.iter().map(|((name, version), size)| {
            let mut one = size.as_json();
            one["type"] = json!(name);
            one["schema_version"] = json!(version);
            one
        });
        let kinds = self.kinds.iter().map(|(kind, size)| {
            let mut one = size.as_json();
            one["kind"] = json!(kind);
            one
        });
        json!({
            "shard": self.shard,
            "position": self.position,
            "commits": self.commits,
            "first_at": self.times.map(|(first, _)| moment(first).to_string()),
            "last_at": self.times.map(|(_, last)| moment(last).to_string()),
            "all": self.all.as_json(),
            "types": types.collect::<Vec<_>>(),
            "kinds": kinds.collect::<Vec<_>>(),
        })
    }

    fn as_text(&self) -> String {
        let mut lines = vec![format!("position {}, {} commits", self.position, self.commits)];
        if let Some((first, last)) = self.times {
            // Integer arithmetic in hundredths avoids floats.
            let hundredths = self.all.events * 100 / self.commits.max(1);
            let (whole, rest) = (hundredths / 100, hundredths % 100);
            lines.push(format!(
                "{whole}.{rest:02} events per commit, from {} to {}",
                moment(first),
                moment(last)
            ));
        }
        let [events, data, boxes, bytes] = ["events", "bytes of data", "boxes", "bytes of boxes"];
        lines.push(format!("\n{:<36} {events:>12} {data:>14} {boxes:>12} {bytes:>14}", ""));
        lines.extend(
            self.types.iter().map(|((name, version), size)| size.as_text(&format!("{name} v{version}"))),
        );
        lines.push(String::new());
        lines.extend(self.kinds.iter().map(|(kind, size)| size.as_text(kind)));
        lines.push(self.all.as_text("all"));
        lines.join("\n")
    }
}
