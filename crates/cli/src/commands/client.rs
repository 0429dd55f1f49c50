//! `daybook client`: platforms and their credentials.

mod list;

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::Timestamp;
use daybook_engine::access::{PLATFORM_CACHE_LIFETIME, PlatformRecord, list_clients, revoke_client_secrets};
use daybook_engine::rails::text::written as written_for_banks;
use daybook_engine::{Clock, Entropy, NewPlatform, Settings, StoresError};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::access::{with, without_keys};
use crate::commands::check_name;
use crate::config::{Bank, Client, Database as Options, UTC};
use crate::database::Database;
use crate::error::Error;
use crate::keys::Keys;
use crate::out::{self, Output};
use crate::service::Service;

/// Runs the command.
///
/// # Errors
///
/// Fails if the database cannot be reached, or there is no such client or secret.
pub async fn run(command: Client) -> Result<(), Error> {
    let (is_json, (record, text)) = match command {
        Client::Create { name, sandbox, shard, time_zone, json, database } => (
            json,
            create(&NewClient { name: &name, sandbox, shard, time_zone: &time_zone }, &database).await?,
        ),
        Client::List { json, database } => {
            let clients = without_keys(&database, async |pg| Ok(list_clients(pg).await?)).await?;
            (json, (list::as_json(&clients), list::as_text(&clients, Clock.now())))
        }
        Client::Rotate { id, overlap, until, json, database } => {
            let now = Clock.now();
            let until = until.unwrap_or_else(|| after(now, overlap));
            (json, rotate(&id, until.max(now), now, &database).await?)
        }
        Client::Revoke { id, secret, json, database } => (json, revoke(&id, secret, &database).await?),
    };
    Ok(out::answer(is_json, &record, &text)?)
}

/// Name, kind and time zone of a new platform.
struct NewClient<'a> {
    name: &'a str,
    sandbox: bool,
    shard: Option<i16>,
    time_zone: &'a str,
}

async fn create(client: &NewClient<'_>, options: &Options) -> Result<Output, Error> {
    check_name("a platform", client.name)?;
    // Files for banks contain the name as the company's name.
    if let Err(letter) = written_for_banks(client.name) {
        let text = format!(
            "a platform's name must consist of characters that bank files permit; {letter:?} is not one of them"
        );
        return Err(Error::Usage(text));
    }
    let database = Database::prepare(options).await?;
    let made = database.during(async |database| make(client, database, options).await).await;
    let (platform, client_secret) = made?;
    let time_zone = client.time_zone;
    Ok((as_json(&platform, &client_secret, time_zone), as_text(&platform, &client_secret, time_zone)))
}

async fn rotate(
    client_id: &str,
    until: Timestamp,
    now: Timestamp,
    options: &Options,
) -> Result<Output, Error> {
    let client_secret = new_secret();
    let work = async |access: daybook_engine::Access| {
        Ok(access.rotate_client_secret(client_id, &client_secret, until, now, Entropy).await?)
    };
    let number = with(options, work).await?.ok_or_else(|| unknown_client(client_id))?;
    let record = json!({
        "client_id": client_id, "client_secret": client_secret, "secret": number,
        "others_good_until": until.ms(),
    });
    let text = format!(
        "client_id      {client_id}\nclient_secret  {client_secret}   (number {number}, shown this once)\n\
         The previous secret is valid until {until}."
    );
    Ok((record, text))
}

async fn revoke(client_id: &str, secret: Option<i32>, options: &Options) -> Result<Output, Error> {
    let work =
        async |pg: &daybook_pg::Pg| Ok(revoke_client_secrets(pg, client_id, secret, Clock.now()).await?);
    let revoked = without_keys(options, work).await?;
    if revoked.is_empty() {
        return Err(match secret {
            None => unknown_client(client_id),
            Some(number) => {
                Error::Usage(format!("there is no secret {number} of {client_id}; see daybook client list"))
            }
        });
    }
    // Every process caches credentials for this time.
    sleep(PLATFORM_CACHE_LIFETIME).await;
    let numbers: Vec<_> = revoked.iter().map(ToString::to_string).collect();
    let text = format!("{client_id}: no process takes its secret {} any more.", numbers.join(", "));
    Ok((json!({"client_id": client_id, "revoked": revoked}), text))
}

/// End of an overlap. The parser of the option limits its length.
fn after(now: Timestamp, overlap: Duration) -> Timestamp {
    now.plus_ms(i64::try_from(overlap.as_millis()).unwrap_or(i64::MAX))
}

fn unknown_client(client_id: &str) -> Error {
    Error::Usage(format!("there is no platform with the client id {client_id}; see daybook client list"))
}

fn new_secret() -> String {
    format!("client_secret_{}", hex::encode(Entropy.bytes::<32>()))
}

async fn make(
    client: &NewClient<'_>,
    database: &Database,
    options: &Options,
) -> Result<(Arc<PlatformRecord>, String), Error> {
    let settings = Settings::settling_after(std::time::Duration::ZERO);
    let keys = Keys::load(options)?;
    let service =
        Service::start_without_processes(database.pg.clone(), keys, settings, &Bank::default()).await?;
    let client_id = format!("client_id_{}", hex::encode(Entropy.bytes::<16>()));
    let client_secret = new_secret();
    let NewClient { name, sandbox, shard, time_zone } = *client;
    // No name means UTC, which is also the time zone of platforms created before time zones existed.
    let time_zone = Some(time_zone).filter(|name| *name != UTC);
    let new =
        NewPlatform { name, client_id: &client_id, client_secret: &client_secret, sandbox, shard, time_zone };
    let platform = service.engine.ensure_platform(new).await;
    service.stop().await;
    match platform {
        Ok(platform) => Ok((platform, client_secret)),
        Err(StoresError::NoShard(why)) => Err(Error::Usage(why)),
        Err(other) => Err(other.into()),
    }
}

fn as_json(platform: &PlatformRecord, client_secret: &str, time_zone: &str) -> Value {
    json!({
        "client_id": platform.client_id,
        "client_secret": client_secret,
        "user_id": platform.user.to_string(),
        "sandbox": platform.sandbox,
        "shard": platform.shard,
        "time_zone": time_zone,
    })
}

fn as_text(platform: &PlatformRecord, client_secret: &str, time_zone: &str) -> String {
    format!(
        "client_id      {}\nclient_secret  {client_secret}   (shown this once)\nuser_id        {}\ntime_zone      {time_zone}\n\
         shard          {}",
        platform.client_id, platform.user, platform.shard
    )
}
