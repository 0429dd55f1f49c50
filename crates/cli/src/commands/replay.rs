//! `daybook replay`: the state of a record at any moment, folded from its events. No table that is derived from the log
//! is read, and no key: boxes stay closed.

use std::collections::{BTreeSet, HashMap};
use std::slice;
use std::sync::Arc;

use daybook_api::wire::moment;
use daybook_domain::{AccountId, Currency, Key, Kind, NodeId, Sealed, State, States};
use daybook_log::postgres::PostgresLog;
use daybook_log::{Log, Shard};
use daybook_pg::Role;
use daybook_projector::{Reads, RecordedEvent, Until, Versioned, fold};
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::config::Replay;
use crate::database::Database;
use crate::error::Error;
use crate::shards::of_stream;

/// Text that replaces a box.
const SEALED: &str = "<sealed>";

/// Prints the state of the record.
///
/// # Errors
///
/// [`Error::Absent`] if the record did not exist at that moment.
pub async fn run(options: Replay) -> Result<(), Error> {
    let until = options.until.as_deref().map(moment::parse).transpose().map_err(usage)?;
    let until = until.map(moment::recorded).transpose().map_err(usage)?.flatten();
    let (word, key) = options.record.named().ok_or_else(|| Error::Usage("name a record".into()))?;
    let database = Database::open(&options.database).await?;
    let mut replayed = database.during(async |database| replay(database, until, word, key).await).await?;
    if !options.events {
        replayed.events = None;
    }
    if options.json { replayed.print_json() } else { replayed.print_text() }
}

fn usage(error: impl std::fmt::Display) -> Error {
    Error::Usage(error.to_string().replacen("at ", "--until ", 1))
}

/// A record at a moment.
#[derive(Serialize)]
struct Replayed {
    kind: &'static str,
    id: String,
    /// Shard of the record.
    shard: Shard,
    /// Position up to which the log was read.
    position: u64,
    /// Number of events of the record.
    version: u32,
    state: Value,
    /// Ledger accounts of a node, by currency. Amounts are in minor units.
    #[serde(skip_serializing_if = "Map::is_empty")]
    accounts: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<Vec<ReplayedEvent>>,
}

/// One event of the record.
#[derive(Serialize)]
struct ReplayedEvent {
    position: u64,
    version: u32,
    #[serde(rename = "type")]
    name: &'static str,
    /// RFC 3339, UTC.
    recorded_at: String,
    /// Time from which it counts, by the platform's clock.
    effective_at: String,
}

/// Folds the stream of the record.
async fn replay(
    database: &Database,
    until: Option<Until>,
    word: &'static str,
    key: Key,
) -> Result<Replayed, Error> {
    let pg = database.pg.acting_as(Role::Auditor);
    let log = Arc::new(PostgresLog::new(pg.clone()));
    let reads = Reads::new(pg, log.clone());
    let shard = of_stream(&log, Uuid::from_u128(key.id)).await?;
    let position = match until {
        Some(until) => {
            reads.aggregates().position_until(shard, until).await?.ok_or_else(|| usage(moment::beyond()))?
        }
        None => log.head(shard).await?.position,
    };
    let id = NodeId::from_u128(key.id).to_string();
    let events =
        reads.aggregates().timelines_at(shard, &[key], position).await?.remove(&key).unwrap_or_default();
    let Some(Versioned { version, state }) = fold(None, &events)? else {
        return Err(Error::Absent(format!("there was no {word} {id} at position {position}")));
    };
    let accounts = accounts(&reads, (shard, key), &state, position).await?;
    let events = Some(events.iter().map(made).collect());
    Ok(Replayed { kind: word, id, shard, position, version, state: shown(&state)?, accounts, events })
}

/// Ledger accounts of a node, in all currencies that its platform ever permitted.
async fn accounts(
    reads: &Reads,
    (shard, key): (Shard, Key),
    state: &State,
    position: u64,
) -> Result<Map<String, Value>, Error> {
    let (Kind::Node, Some(platform)) = (key.kind, state.platform(key)) else { return Ok(Map::new()) };
    let mut currencies = BTreeSet::from([Currency::USD]);
    let mut platform_then = None;
    let platform = Key::from(platform);
    let events = reads
        .aggregates()
        .timelines_at(shard, &[platform], position)
        .await?
        .remove(&platform)
        .unwrap_or_default();
    for happened in events.iter() {
        platform_then = fold(platform_then, slice::from_ref(happened))?;
        if let Some(Versioned { state: State::Platform(platform), .. }) = &platform_then {
            currencies.extend(&platform.policy.currencies);
        }
    }
    let node = NodeId::from_u128(key.id);
    let keys: HashMap<Currency, Key> =
        currencies.into_iter().map(|currency| (currency, AccountId::of(node, currency).into())).collect();
    let found =
        reads.aggregates().records_at(shard, &keys.values().copied().collect::<Vec<_>>(), position).await?;
    let account = |(currency, key): (Currency, Key)| {
        found.state(key).map(|state| Ok((currency.to_string(), shown(state)?)))
    };
    keys.into_iter().filter_map(account).collect()
}

/// A state as the read model stores it, without its kind and without the contents of boxes.
fn shown(state: &State) -> Result<Value, Error> {
    let mut value = serde_json::to_value(state).map_err(std::io::Error::other)?;
    close(&mut value);
    let inner = value.as_object_mut().and_then(|kinds| kinds.values_mut().next().map(Value::take));
    Ok(inner.unwrap_or(value))
}

fn close(value: &mut Value) {
    match value {
        Value::String(text) if serde_json::from_value::<Sealed>(Value::String(text.clone())).is_ok() => {
            SEALED.clone_into(text);
        }
        Value::Array(list) => list.iter_mut().for_each(close),
        Value::Object(map) => map.values_mut().for_each(close),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn made(happened: &RecordedEvent) -> ReplayedEvent {
    ReplayedEvent {
        position: happened.position,
        version: happened.version,
        name: happened.event.name(),
        recorded_at: happened.recorded_at.to_string(),
        effective_at: happened.effective_at.to_string(),
    }
}

impl Replayed {
    fn print_json(&self) -> Result<(), Error> {
        crate::say!("{}", serde_json::to_string(self).map_err(std::io::Error::other)?)?;
        Ok(())
    }

    fn print_text(&self) -> Result<(), Error> {
        let pretty = |value: &Value| serde_json::to_string_pretty(value).map_err(std::io::Error::other);
        let Self { kind, id, position, version, .. } = self;
        crate::say!("{kind} {id} at position {position}, after {version} events:\n{}", pretty(&self.state)?)?;
        for (currency, account) in &self.accounts {
            crate::say!("account in {currency}, in minor units:\n{}", pretty(account)?)?;
        }
        for ReplayedEvent { position, name, recorded_at, .. } in self.events.iter().flatten() {
            crate::say!("{position:>10}  {recorded_at}  {name}")?;
        }
        Ok(())
    }
}
