//! `daybook subject export`: all records about one person, with opened boxes; one line per stream of the log.
//!
//! The export consists of events, so it also contains earlier, superseded data. Boxes about other persons, such as the
//! note of a payment that another person made, stay closed.

use std::io::{self, Write};
use std::path::Path;

use daybook_domain::roles::Right;
use daybook_domain::{Key, States, UserId};
use daybook_projector::RecordedEvent;
use daybook_vault::{Class, SubjectKeys};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use uuid::Uuid;

use super::walk::{subject, walk};
use crate::commands::ops::{OperatorSession, as_operator};
use crate::config::OperatorOptions;
use crate::error::Error;
use crate::whole_file::WholeFile;

/// Permissions of the file: only its owner can read it.
const MODE: u32 = 0o600;

/// Writes the export to the file, or to standard output.
pub(super) async fn export(desk: &OperatorOptions, user: UserId, output: Option<&Path>) -> Result<(), Error> {
    as_operator(desk, Right::People, async |work| {
        check(&work, user).await?;
        let Some(path) = output else { return write(&work, user, &mut io::stdout().lock()).await };
        let mut file = WholeFile::begin(path, MODE, false)?;
        write(&work, user, &mut file).await?;
        Ok(file.end()?)
    })
    .await
}

/// Fails if the platform has no such user.
async fn check(work: &OperatorSession, user: UserId) -> Result<(), Error> {
    let found = work.engine.reads().aggregates().records(work.platform.shard, &[user.into()]).await?;
    let is_there = found.user(user).is_some_and(|user| user.platform == work.platform.id);
    if is_there { Ok(()) } else { Err(Error::Absent(format!("there is no user {user} of this platform"))) }
}

async fn write(work: &OperatorSession, user: UserId, out: &mut impl Write) -> Result<(), Error> {
    let (engine, shard) = (&work.engine, work.platform.shard);
    let keys = engine.vault().keys(shard, Uuid::from(user)).await?;
    let position = engine.reads().aggregates().head(shard).await?;
    engine.reads().store().caught_up(shard, position, std::time::Duration::from_secs(30)).await?;
    let line = json!({"kind": "subject", "id": user.to_string(), "platform": work.platform.client_id,
        "position": position, "readable": keys.is_some()});
    writeln!(out, "{line}")?;
    walk(engine.reads(), shard, user, async |key, events| {
        let keys = keys.as_ref().filter(|_| subject(key, &events) == Some(user));
        let told: Vec<Value> =
            events.iter().map(|happened| tell(happened, keys)).collect::<Result<_, _>>()?;
        let line = json!({"kind": kind(&events), "id": id(key), "events": told});
        Ok(writeln!(out, "{line}")?)
    })
    .await?;
    Ok(out.flush()?)
}

/// First part of an event's name: the kind of aggregate.
fn kind(events: &[RecordedEvent]) -> &'static str {
    let first = events.first().map(|happened| happened.event.name()).unwrap_or_default();
    first.split('.').next().unwrap_or_default()
}

fn id(key: Key) -> String {
    // Ids of all aggregates have the same text form.
    UserId::from_u128(key.id).to_string()
}

/// An event with its data, and with the contents of its box if the keys open it.
fn tell(happened: &RecordedEvent, keys: Option<&SubjectKeys>) -> Result<Value, Error> {
    let encoded = happened.event.encode().map_err(io::Error::other)?;
    let data: &RawValue = serde_json::from_slice(&encoded.data).map_err(io::Error::other)?;
    let mut told = json!({
        "type": happened.event.name(),
        "position": happened.position,
        "recorded_at": happened.recorded_at.ms(),
        "data": data,
    });
    if let Some(sealed) = &encoded.sealed {
        let open = |keys: &SubjectKeys| {
            let id = Uuid::from(sealed.id);
            Class::ALL.into_iter().find_map(|class| keys.open(class, id, &sealed.bytes).ok())
        };
        told["told_in_confidence"] = match keys.and_then(open) {
            Some(plain) => serde_json::from_slice(&plain).map_err(io::Error::other)?,
            None => Value::Null,
        };
    }
    Ok(told)
}
