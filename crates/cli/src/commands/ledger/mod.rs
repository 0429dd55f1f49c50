//! `daybook ledger`: the ledger as a whole, from its read model or from the log.

mod export;
mod fold;
mod positions;
mod report;

use std::sync::Arc;
use std::time::Duration;

use daybook_api::wire::moment;
use daybook_domain::PlatformId;
use daybook_engine::{Access, Engine, Settings};
use daybook_log::Shard;
use daybook_log::postgres::PostgresLog;
use daybook_pg::{Pg, Role};
use daybook_projector::{Moment, Reads};
use uuid::Uuid;

use crate::config::{Bank, Database as Options, Ledger, ReportOptions};
use crate::database::Database;
use crate::error::Error;
use crate::keys::Keys;
use crate::service::Service;
use crate::shards::chosen;

/// Runs the command.
///
/// # Errors
///
/// Fails if the database cannot be reached, or the ledger is not in balance.
pub async fn run(command: Ledger) -> Result<(), Error> {
    match command {
        Ledger::TrialBalance(report) => report::trial_balance(&report).await,
        Ledger::Custody(report) => report::custody(&report).await,
        Ledger::Export { format, output, json, extent } => {
            export::export(format, &output, json, &extent).await
        }
    }
}

/// Settings for a command that does one thing and ends: its transactions settle at once.
pub const SETTLE_IMMEDIATELY: Settings = Settings::settling_after(Duration::ZERO);

/// Runs `work` with an engine on the database of `options`.
///
/// # Errors
///
/// The error of `work`, or [`Error`] if the engine cannot be started.
pub async fn with_engine<T, E: From<Error>>(
    options: &Options,
    settings: Settings,
    bank: &Bank,
    work: impl AsyncFnOnce(Engine) -> Result<T, E>,
) -> Result<T, E> {
    let keys = Keys::load(options)?;
    let database = Database::open(options).await?;
    database.during(async |database| with_service(database, keys, settings, bank, work).await).await
}

/// Runs `work` with an engine on `database`.
///
/// # Errors
///
/// As [`with_engine`].
pub async fn with_service<T, E: From<Error>>(
    database: &Database,
    keys: Keys,
    settings: Settings,
    bank: &Bank,
    work: impl AsyncFnOnce(Engine) -> Result<T, E>,
) -> Result<T, E> {
    let service = Service::start_without_processes(database.pg.clone(), keys, settings, bank).await?;
    let done = work(service.engine.clone()).await;
    service.stop().await;
    done
}

/// Finds a platform by its client id or its own id.
pub(super) async fn platform(
    access: &Access,
    name: &str,
) -> Result<Arc<daybook_engine::access::PlatformRecord>, Error> {
    let found = match name.parse() {
        Ok(id) => access.platform(id).await?,
        Err(_) => access.platform_of_client(name).await?,
    };
    found.ok_or_else(|| Error::Usage("there is no such platform".into()))
}

/// Log and read models of a ledger, for reports. No box is opened, and no key is needed.
pub(super) struct Books {
    pg: Pg,
    /// The log.
    pub(super) log: PostgresLog,
    reads: Reads,
}

impl Books {
    /// Runs `work` with the ledger in the database of `options`.
    pub(super) async fn during<T>(
        options: &Options,
        work: impl AsyncFnOnce(&Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let database = Database::open(options).await?;
        let reading = async |database: &Database| {
            let pg = database.pg.acting_as_first_of(&[Role::Auditor, Role::App]).await?;
            let log = PostgresLog::new(pg.clone());
            work(&Self { reads: Reads::new(pg.clone(), Arc::new(log.clone())), log, pg }).await
        };
        database.during(reading).await
    }

    /// Finds a platform by its client id or its own id, and returns it with its shard.
    pub(super) async fn platform(&self, name: &str) -> Result<(PlatformId, Shard), Error> {
        let client = self.pg.client().await?;
        let id = name.parse().ok().map(|id: PlatformId| Uuid::from(id));
        let row = client.query_opt(include_str!("sql/find_platform.sql"), &[&id, &name]).await;
        let row = row.map_err(daybook_pg::Error::from)?;
        let row = row.ok_or_else(|| Error::Usage("there is no such platform".into()))?;
        let id: Uuid = row.try_get("platform").map_err(daybook_pg::Error::from)?;
        let shard = row.try_get("shard").map_err(daybook_pg::Error::from)?;
        Ok((PlatformId::from(id), shard))
    }
}

/// The platform, the shards and the moment that an extent names.
struct ReportScope {
    platform: Option<PlatformId>,
    /// Shard of the platform; without one, all shards.
    shards: Vec<Shard>,
    at: Moment,
}

impl ReportScope {
    async fn of(books: &Books, extent: &ReportOptions) -> Result<Self, Error> {
        let at = extent.at.as_deref().map(moment::parse).transpose();
        let at = at.map_err(|error| Error::Usage(error.to_string()))?.unwrap_or(Moment::Now);
        if let Some(name) = &extent.platform {
            let (platform, shard) = books.platform(name).await?;
            return Ok(Self { platform: Some(platform), shards: vec![shard], at });
        }
        let shards = chosen(&books.log, extent.of.shard).await?;
        if shards.len() > 1 && matches!(at, Moment::Position(_)) {
            let text = "positions of two shards have nothing in common: name one by --shard, or give --at a time or a day";
            return Err(Error::Usage(text.to_owned()));
        }
        Ok(Self { platform: None, shards, at })
    }
}
