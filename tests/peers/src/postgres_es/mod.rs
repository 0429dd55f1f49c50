//! `postgres-es` with `cqrs-es`: an event store as a library, with one event per command.

mod account;
mod replay;

use std::sync::Arc;
use std::time::Duration;

use cqrs_es::CqrsFramework;
use cqrs_es::persist::PersistedEventStore;
use postgres_es::{PostgresCqrs, PostgresEventRepository};
use sqlx::{Executor, PgPool};

use crate::figure::{About, Figure};
use crate::load::{self, Caller};
use crate::random::Random;
use crate::{Error, database};
use account::{Account, Transfer};

const ABOUT: About = About {
    peer: "postgres-es",
    version: env!("POSTGRES_ES_VERSION"),
    does: "Loads an aggregate from its events, decides, and appends one event under a check of its version.",
    does_not: "No double entry, no balances, no read models, no idempotency keys, no order of all events; no HTTP, no \
               authentication, no sealed fields, no hash tree.",
};

const COMMANDS: &str = "commands with one event of 400 bytes, 100,000 aggregates, 32 tasks";
const TASKS: usize = 32;
const AGGREGATES: usize = 100_000;

/// Statement of the package for its table, read by `build.rs`.
const TABLE: &str = include_str!(concat!(env!("OUT_DIR"), "/postgres_es_events.sql"));

/// Measures commands in an empty database, checks the result in the database, and measures a replay of all events.
pub(crate) async fn measure(pool: PgPool, duration: Duration) -> Result<Vec<Figure>, Error> {
    ABOUT.begin(COMMANDS);
    pool.execute(TABLE).await?;
    let store = PersistedEventStore::new_event_store(PostgresEventRepository::new(pool.clone()));
    let framework = Arc::new(CqrsFramework::new(store, vec![], ()));
    let commander = |task| Commander { framework: Arc::clone(&framework), task, random: Random::of(task) };
    let measured = load::run((0..TASKS).map(commander).collect(), duration).await?;
    database::must_hold(&pool, "events", measured.acknowledged).await?;
    let commands = ABOUT.figure(COMMANDS, &measured);
    Ok(vec![commands, replay::measure(pool, measured.acknowledged).await?])
}

/// One task. It has aggregates of its own, so that no command conflicts with another one and has to be repeated.
struct Commander {
    framework: Arc<PostgresCqrs<Account>>,
    task: usize,
    random: Random,
}

impl Caller for Commander {
    const WORK: u32 = 1;

    async fn call(&mut self) -> Result<(), Error> {
        let id = self.task + TASKS * self.random.below(AGGREGATES / TASKS);
        let to = self.random.below(AGGREGATES);
        self.framework.execute(&account::name(id), Transfer { to, amount_minor: 100 }).await?;
        Ok(())
    }
}
