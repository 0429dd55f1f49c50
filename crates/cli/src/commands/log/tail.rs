//! `daybook log tail`: events, one per line; with `--follow` also new ones.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::time::Duration;

use daybook_domain::NodeId;
use daybook_log::postgres::PostgresLog;
use daybook_log::raw::{RawCommit, RawEvent};
use daybook_log::{Log, PAGE, Shard};
use serde_json::json;
use serde_json::value::RawValue;
use tokio::time::sleep;

use super::{kind_name, moment, type_name};
use crate::config::Tail;
use crate::error::Error;
use crate::out;
use crate::shards::only;

/// Number of events that are shown if no position is given.
const DEFAULT_EVENTS: u64 = 10;
/// Shortest and longest pause between polls for new events. The pause doubles each time, like that of read models.
const POLL_INTERVALS: [Duration; 2] = [Duration::from_millis(20), Duration::from_millis(500)];

/// Prints the requested events; with `--follow` until the process is told to stop.
pub(super) async fn tail(log: &PostgresLog, options: &Tail) -> Result<(), Error> {
    let shard = only(log, options.of.shard).await?;
    let mut position = match options.after {
        Some(position) => position,
        None => head(log, shard).await?.saturating_sub(DEFAULT_EVENTS),
    };
    let commit_no = log.boundary(shard, position).await?.commit_no;
    let mut commits = Commits { shard, newest: commit_no, ahead: VecDeque::new() };
    let (mut left, mut wait) = (options.limit.unwrap_or(u64::MAX), POLL_INTERVALS[0]);
    let mut out = io::stdout().lock();
    loop {
        let end = head(log, shard).await?;
        while position < end && left > 0 {
            let up_to = (position + u64::from(PAGE)).min(end);
            for event in log.raw_events(shard, position, up_to, false).await? {
                let commit_no = commits.of(log, event.position).await?;
                if left > 0 && is_meant(options, &event) {
                    left -= 1;
                    writeln!(out, "{}", line(options.json, commit_no, &event))?;
                }
            }
            (position, wait) = (up_to, POLL_INTERVALS[0]);
        }
        out.flush()?;
        if !options.follow || left == 0 {
            return Ok(());
        }
        tokio::select! {
            () = sleep(wait) => {}
            // Without new events, a write would not notice that the reader is gone.
            () = out::unread() => return Err(io::Error::from(ErrorKind::BrokenPipe).into()),
        }
        wait = (wait * 2).min(POLL_INTERVALS[1]);
    }
}

async fn head(log: &PostgresLog, shard: Shard) -> Result<u64, Error> {
    Ok(log.head(shard).await?.position)
}

/// Finds the commits of events that are read in order.
struct Commits {
    shard: Shard,
    newest: u64,
    ahead: VecDeque<RawCommit>,
}

impl Commits {
    /// Returns the number of the commit of the event at `position`, or 0 if there is none.
    async fn of(&mut self, log: &PostgresLog, position: u64) -> Result<u64, Error> {
        loop {
            while self.ahead.front().is_some_and(|commit| commit.last_position < position) {
                self.ahead.pop_front();
            }
            if let Some(commit) = self.ahead.front() {
                return Ok(commit.commit_no);
            }
            let page = log.raw_commits(self.shard, self.newest).await?;
            let Some(last) = page.last() else { return Ok(0) };
            self.newest = last.commit_no;
            self.ahead.extend(page);
        }
    }
}

fn is_meant(options: &Tail, event: &RawEvent) -> bool {
    options.stream.is_none_or(|stream| event.stream.as_u128() == stream)
        && options.platform.is_none_or(|platform| event.platform.as_u128() == platform.as_u128())
}

fn line(json: bool, commit_no: u64, event: &RawEvent) -> String {
    let name = type_name(event.event_type, event.schema_version);
    let kind = kind_name(event.stream_kind);
    // Ids of all aggregates have the same text form.
    let id = |bits: uuid::Uuid| NodeId::from(bits).to_string();
    let at = moment(event.recorded_at_us);
    let data = String::from_utf8_lossy(&event.data).into_owned();
    if !json {
        let RawEvent { position, version, .. } = event;
        return format!("{position} {commit_no} {at} {name} {kind} {} {version} {data}", id(event.stream));
    }
    json!({
        "position": event.position,
        "commit_no": commit_no,
        "recorded_at": at.to_string(),
        "effective_at": event.effective_at_us.map(|us| moment(us).to_string()),
        "type": name,
        "kind": kind,
        "stream": id(event.stream),
        "version": event.version,
        "platform": id(event.platform),
        "has_box": event.sealed_hash.is_some(),
        "data": RawValue::from_string(data).ok(),
    })
    .to_string()
}
