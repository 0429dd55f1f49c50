//! `daybook ledger`: the ledger as a whole, from its read model or from the log itself.

mod export;
mod fold;
mod report;

use std::sync::Arc;
use std::time::Duration;

use daybook_api::wire::moment;
use daybook_domain::PlatformId;
use daybook_engine::{Access, Engine, Settings};
use daybook_projector::Moment;

use crate::config::{Bank, Database as Options, Extent, Ledger};
use crate::database::Database;
use crate::error::Error;
use crate::keys::Keys;
use crate::service::Service;

/// Does what is asked for.
///
/// # Errors
///
/// If the database cannot be reached, or the ledger is not in balance.
pub async fn run(command: Ledger) -> Result<(), Error> {
    match command {
        Ledger::TrialBalance(report) => report::trial_balance(&report).await,
        Ledger::Custody(report) => report::custody(&report).await,
        Ledger::Export { format, output, extent } => export::export(format, &output, &extent).await,
    }
}

/// For a command that does one thing and ends: what it makes settles at once.
pub const AT_ONCE: Settings = Settings::settling_after(Duration::ZERO);

/// Does `work` with an engine on the database of `options`.
///
/// # Errors
///
/// The error of `work`, or [`Error`] if the engine cannot be had.
pub async fn with_engine<T, E: From<Error>>(
    options: &Options,
    settings: Settings,
    bank: &Bank,
    work: impl AsyncFnOnce(Engine) -> Result<T, E>,
) -> Result<T, E> {
    let database = Database::open(options).await?;
    let done = with_service(&database, options, settings, bank, work).await;
    database.leave().await?;
    done
}

async fn with_service<T, E: From<Error>>(
    database: &Database,
    options: &Options,
    settings: Settings,
    bank: &Bank,
    work: impl AsyncFnOnce(Engine) -> Result<T, E>,
) -> Result<T, E> {
    let keys = Keys::of(options, &database.pg).await?;
    let service = Service::start_quiet(database.pg.clone(), keys, settings, bank).await?;
    let done = work(service.engine.clone()).await;
    service.stop().await;
    done
}

/// The platform with this name: its client id, or its own.
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

/// What an extent names, looked up.
struct Asked {
    platform: Option<PlatformId>,
    at: Moment,
}

impl Asked {
    async fn of(engine: &Engine, extent: &Extent) -> Result<Self, Error> {
        let at = extent.at.as_deref().map(moment::parse).transpose();
        let at = at.map_err(|error| Error::Usage(error.to_string()))?.unwrap_or(Moment::Now);
        let platform = match &extent.platform {
            Some(name) => Some(platform(engine.access(), name).await?.id),
            None => None,
        };
        Ok(Self { platform, at })
    }
}
