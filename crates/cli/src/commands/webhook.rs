//! `daybook webhook`: redelivers the events of a subscription.

use std::time::Duration;

use daybook_domain::SubscriptionId;
use daybook_engine::Settings;
use daybook_engine::webhook::replay;
use daybook_log::postgres::PostgresLog;
use daybook_pg::{Pg, Role};

use serde_json::json;

use crate::config::{self, Webhook};
use crate::database::Database;
use crate::error::Error;
use crate::keys::Keys;
use crate::out;
use crate::service::Service;
use crate::shards::of_stream;

/// Runs the command.
///
/// # Errors
///
/// Fails if the database cannot be reached, or there is no such active subscription.
pub async fn run(command: Webhook) -> Result<(), Error> {
    let Webhook::Replay { subscription, from, json, database: options } = command;
    let keys = Keys::load(&options)?;
    let database = Database::open(&options).await?;
    let told = database.during(async |database| tell(&database.pg, keys, subscription, from).await).await;
    let up_to =
        told?.ok_or_else(|| Error::Usage(format!("there is no active subscription {subscription}")))?;
    let record = json!({"subscription": subscription.to_string(), "from": from, "up_to": up_to});
    let text =
        format!("The events of subscription {subscription} from position {from} to {up_to} are redelivered.");
    Ok(out::answer(json, &record, &text)?)
}

/// Schedules the redelivery, which the service carries out. Returns the last position, or `None` if there is no such
/// active subscription.
async fn tell(pg: &Pg, keys: Keys, subscription: SubscriptionId, from: u64) -> Result<Option<u64>, Error> {
    let settings = Settings::settling_after(Duration::from_mins(15));
    let service =
        Service::start_without_processes(pg.clone(), keys, settings, &config::Bank::default()).await?;
    let told = async {
        let shard = of_stream(&PostgresLog::new(pg.acting_as(Role::App)), subscription.into()).await?;
        Ok(replay(&service.engine, &pg.acting_as(Role::Projector), shard, subscription, from).await?)
    };
    let told = told.await;
    service.stop().await;
    told
}
