//! `daybook client`: platforms and their credentials.

use std::sync::Arc;

use daybook_engine::access::PlatformRecord;
use daybook_engine::{Entropy, NewPlatform, Settings};

use crate::commands::check_name;
use crate::config::{Bank, Client, Database as Options};
use crate::database::Database;
use crate::error::Error;
use crate::keys::Keys;
use crate::service::Service;

/// Does what is asked for.
///
/// # Errors
///
/// If the database cannot be reached.
pub async fn run(command: Client) -> Result<(), Error> {
    match command {
        Client::Create { name, sandbox, json, database } => create(&name, sandbox, json, &database).await,
    }
}

async fn create(name: &str, sandbox: bool, json: bool, options: &Options) -> Result<(), Error> {
    check_name("a platform", name)?;
    let database = Database::open(options).await?;
    let made = make(name, sandbox, &database, options).await;
    database.leave().await?;
    let (platform, client_secret) = made?;
    println!(
        "{}",
        if json { as_json(&platform, &client_secret) } else { as_text(&platform, &client_secret) }
    );
    Ok(())
}

async fn make(
    name: &str,
    sandbox: bool,
    database: &Database,
    options: &Options,
) -> Result<(Arc<PlatformRecord>, String), Error> {
    let settings = Settings::settling_after(std::time::Duration::ZERO);
    let keys = Keys::of(options, &database.pg).await?;
    let service = Service::start_quiet(database.pg.clone(), keys, settings, &Bank::default()).await?;
    let client_id = format!("client_id_{}", hex::encode(Entropy.bytes::<16>()));
    let client_secret = format!("client_secret_{}", hex::encode(Entropy.bytes::<32>()));
    let new = NewPlatform { name, client_id: &client_id, client_secret: &client_secret, sandbox };
    let platform = service.engine.ensure_platform(new).await;
    service.stop().await;
    Ok((platform?, client_secret))
}

fn as_json(platform: &PlatformRecord, client_secret: &str) -> String {
    serde_json::json!({
        "client_id": platform.client_id,
        "client_secret": client_secret,
        "user_id": platform.user.to_string(),
        "sandbox": platform.sandbox,
    })
    .to_string()
}

fn as_text(platform: &PlatformRecord, client_secret: &str) -> String {
    format!(
        "client_id      {}\nclient_secret  {client_secret}   (shown this once)\nuser_id        {}",
        platform.client_id, platform.user
    )
}
