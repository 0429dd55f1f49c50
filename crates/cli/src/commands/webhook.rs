//! `daybook webhook`: those who subscribed are told again.

use std::time::Duration;

use daybook_engine::Settings;
use daybook_engine::webhook::replay;
use daybook_pg::Role;

use crate::config::{self, Webhook};
use crate::database::Database;
use crate::error::Error;
use crate::keys::Keys;
use crate::service::Service;

/// Does what is asked for.
///
/// # Errors
///
/// If the database cannot be reached, or there is no such subscription that is active.
pub async fn run(command: Webhook) -> Result<(), Error> {
    let Webhook::Replay { subscription, from, database: options } = command;
    let database = Database::open(&options).await?;
    let keys = Keys::of(&options, &database.pg).await?;
    let settings = Settings::settling_after(Duration::from_mins(15));
    let service = Service::start_quiet(database.pg.clone(), keys, settings, &config::Bank::default()).await?;
    let lanes = database.pg.acting_as(Role::Projector);
    let done = replay(&service.engine, &lanes, subscription, from).await;
    service.stop().await;
    database.leave().await?;
    let up_to =
        done?.ok_or_else(|| Error::Usage(format!("there is no active subscription {subscription}")))?;
    println!("Subscription {subscription} is told again of everything from position {from} to {up_to}.");
    Ok(())
}
