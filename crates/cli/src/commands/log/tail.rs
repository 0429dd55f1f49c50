//! `daybook log tail`: events, one a line, as they are and as they come.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::time::Duration;

use daybook_domain::NodeId;
use daybook_engine::SHARD;
use daybook_log::postgres::PostgresLog;
use daybook_log::raw::{RawCommit, RawEvent};
use daybook_log::{Log, PAGE};
use serde_json::json;
use serde_json::value::RawValue;
use tokio::time::sleep;

use super::{kind_name, moment, type_name};
use crate::config::Tail;
use crate::error::Error;
use crate::out;

/// How many events are shown if nobody says where to begin.
const LAST: u64 = 10;
/// How long to wait for more: doubled each time, from one to the other, as read models do.
const IDLE: [Duration; 2] = [Duration::from_millis(20), Duration::from_millis(500)];

/// Shows what is asked for; with `--follow` until it is stopped.
pub(super) async fn tail(log: &PostgresLog, options: &Tail) -> Result<(), Error> {
    let mut position = match options.after {
        Some(position) => position,
        None => head(log).await?.saturating_sub(LAST),
    };
    let commit_no = log.boundary(SHARD, position).await?.commit_no;
    let mut commits = Commits { newest: commit_no, ahead: VecDeque::new() };
    let (mut left, mut wait) = (options.limit.unwrap_or(u64::MAX), IDLE[0]);
    let mut out = io::stdout().lock();
    loop {
        let end = head(log).await?;
        while position < end && left > 0 {
            let up_to = (position + u64::from(PAGE)).min(end);
            for event in log.raw_events(SHARD, position, up_to, false).await? {
                let commit_no = commits.of(log, event.position).await?;
                if left > 0 && is_meant(options, &event) {
                    left -= 1;
                    writeln!(out, "{}", line(options.json, commit_no, &event))?;
                }
            }
            (position, wait) = (up_to, IDLE[0]);
        }
        out.flush()?;
        if !options.follow || left == 0 {
            return Ok(());
        }
        tokio::select! {
            () = sleep(wait) => {}
            // Nothing may come for long.
            () = out::unread() => return Err(io::Error::from(ErrorKind::BrokenPipe).into()),
        }
        wait = (wait * 2).min(IDLE[1]);
    }
}

async fn head(log: &PostgresLog) -> Result<u64, Error> {
    Ok(log.head(SHARD).await?.position)
}

/// The commits of the events that come.
struct Commits {
    newest: u64,
    ahead: VecDeque<RawCommit>,
}

impl Commits {
    /// The number of the commit of the event at `position`; 0 if there is none.
    async fn of(&mut self, log: &PostgresLog, position: u64) -> Result<u64, Error> {
        loop {
            while self.ahead.front().is_some_and(|commit| commit.last_position < position) {
                self.ahead.pop_front();
            }
            if let Some(commit) = self.ahead.front() {
                return Ok(commit.commit_no);
            }
            let page = log.raw_commits(SHARD, self.newest).await?;
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
    // Every id is written in the same way.
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
