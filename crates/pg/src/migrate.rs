//! Migrations: the files of `migrations/`, compiled in, forward only, applied at start, also under load.

use std::time::Duration;

use refinery::error::Kind;
use refinery::{Migration, Runner};
use tokio::time::sleep;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use crate::error::chain;
use crate::roles::{self, Standing};
use crate::{Causes, Error, Pg};

mod files {
    refinery::embed_migrations!("../../migrations");
}

/// Statements that let processes migrate one after the other if they start at once. A migration may run for long, but
/// must not wait long for a lock: other transactions would wait behind it. The number is `daybook` in ASCII.
const TAKE_LOCK: &str = "set statement_timeout = 0; set lock_timeout = 0; \
     select pg_advisory_lock(x'646179626f6f6b'::bigint); set lock_timeout = '500ms'";

/// Maximum number of attempts of a migration that gets no lock: about one minute.
const MAX_ATTEMPTS: u32 = 60;
/// Pause before the next attempt, during which other transactions can pass.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);

/// Query for every applied migration.
const HISTORY: &str = "select version, name, checksum from public.refinery_schema_history";

/// Query for the properties that a database must have.
const DATABASE_CHECK: &str = "select current_database()::text, current_setting('server_encoding'), \
     exists (select from pg_namespace where nspname = 'public')";

/// Query for the newest applied migration.
const APPLIED: &str = "select max(version) from public.refinery_schema_history";

/// Migrates the schema to this binary's version, and sets up roles and their rights. Returns the number of applied
/// migrations. A login that may do neither is accepted if there is nothing to change.
///
/// # Errors
///
/// [`Error::Migration`] if the database has a migration that this binary does not know (the binary is older than the
/// schema) or knows with another text, or if a migration fails; [`Error::Denied`] if the login may not migrate;
/// [`Error::Unavailable`] if the connection is lost.
pub async fn run(pg: &Pg) -> Result<usize, Error> {
    // The advisory lock ends with this connection.
    let mut client = pg.dedicated().await?;
    fits(&client).await?;
    client.batch_execute(TAKE_LOCK).await?;
    let runner = files::migrations::runner().set_abort_missing(true).set_abort_divergent(true);
    let applied = if is_current(&client, runner.get_migrations()).await? {
        0
    } else {
        apply(&runner, &mut client).await.map_err(|error| explain(&error))?
    };
    roles::set_up(&mut client).await?;
    Ok(applied)
}

/// Checks that the schema is that of this binary. Changes nothing.
///
/// # Errors
///
/// [`Error::Migration`] with the remedy if it is not; [`Error::Denied`] if the login may not read the migrations;
/// [`Error::Unavailable`] if the connection is lost.
pub async fn check(pg: &Pg) -> Result<(), Error> {
    let client = pg.dedicated().await?;
    let runner = files::migrations::runner();
    let ours = runner.get_migrations();
    let Some(theirs) = history(&client).await? else {
        let text = "the database holds no ledger: daybook migrate makes one, if it is the right database";
        return Err(Error::Migration(text.to_owned()));
    };
    let (found, newest) = (theirs.iter().map(|one| one.0).max().unwrap_or_default(), newest());
    if is_same(&theirs, ours) {
        return Ok(());
    }
    Err(Error::Migration(if found > newest {
        format!("the database has migration {found}, which this binary does not know: use a newer daybook")
    } else {
        "the schema of the database is not the one of this binary: run daybook migrate".to_owned()
    }))
}

/// Checks that the database can store a ledger, before anything is written to it.
async fn fits(client: &Client) -> Result<(), Error> {
    let row = client.query_one(DATABASE_CHECK, &[]).await?;
    let (database, encoding, has_public): (&str, &str, bool) =
        (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    if encoding != "UTF8" {
        return Err(Error::Config(format!(
            "the database {database} has the encoding {encoding}, and a ledger needs UTF8: \
             create database … encoding 'UTF8' template template0"
        )));
    }
    if !has_public {
        let text = format!(
            "the database {database} has no schema public, which holds the ledger: create schema public"
        );
        return Err(Error::Config(text));
    }
    Ok(())
}

/// Applies the missing migrations one after the other; returns their number.
async fn apply(runner: &Runner, client: &mut Client) -> Result<usize, refinery::Error> {
    let mut applied = 0;
    let mut tries = 1;
    loop {
        match runner.run_async(client).await {
            Ok(report) => return Ok(applied + report.applied_migrations().len()),
            Err(error) if tries < MAX_ATTEMPTS && is_held_up(&error) => {
                tracing::warn!(error = %Causes(&error), tries, "a migration cannot get a lock; it yields and is retried");
                applied += error.report().map_or(0, |report| report.applied_migrations().len());
                tries += 1;
                sleep(RETRY_INTERVAL).await;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Returns true if another transaction holds a lock that the migration needs.
fn is_held_up(error: &refinery::Error) -> bool {
    let Kind::Connection(_, source) = error.kind() else { return false };
    let source = source.downcast_ref::<tokio_postgres::Error>();
    source.is_some_and(|error| error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE))
}

/// Returns the newest migration of this binary.
#[must_use]
pub fn newest() -> i32 {
    files::migrations::runner().get_migrations().iter().map(Migration::version).max().unwrap_or_default()
}

/// Returns the newest migration that was applied to the database.
///
/// # Errors
///
/// Same as [`Pg::client`], and if the role of `pg` may not read the migrations.
pub async fn applied(pg: &Pg) -> Result<i32, Error> {
    let row = pg.client().await?.query_one(APPLIED, &[]).await?;
    Ok(row.try_get::<_, Option<i32>>(0)?.unwrap_or_default())
}

/// Returns true if the database has exactly these migrations. Then nothing has to be created, not even their table.
async fn is_current(client: &Client, ours: &[Migration]) -> Result<bool, Error> {
    Ok(history(client).await?.is_some_and(|theirs| is_same(&theirs, ours)))
}

/// An applied migration: version, name, checksum.
type Applied = (i32, String, String);

fn is_same(theirs: &[Applied], ours: &[Migration]) -> bool {
    let is_ours = |(version, name, checksum): &Applied| {
        let is_it = |one: &Migration| {
            one.version() == *version && one.name() == name && one.checksum().to_string() == *checksum
        };
        ours.iter().any(is_it)
    };
    theirs.len() == ours.len() && theirs.iter().all(is_ours)
}

/// Returns the applied migrations; `None` if their table does not exist.
async fn history(client: &Client) -> Result<Option<Vec<Applied>>, Error> {
    if let Some(role) = Standing::of(client).await?.first() {
        client.batch_execute(&format!("set role {role}")).await?;
    }
    let read = client.query(HISTORY, &[]).await;
    client.batch_execute("reset role").await?;
    let rows = match read {
        Ok(rows) => rows,
        Err(error) => {
            return match error.code() {
                Some(&SqlState::UNDEFINED_TABLE | &SqlState::INVALID_SCHEMA_NAME) => Ok(None),
                Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {
                    let text = "this login may not read the applied migrations: grant it the roles that it needs, \
                        or set them up by running daybook migrate as the owner of the database";
                    Err(Error::Denied(text.to_owned()))
                }
                _ => Err(error.into()),
            };
        }
    };
    let applied =
        |row: &tokio_postgres::Row| Ok::<_, Error>((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?));
    Ok(Some(rows.iter().map(applied).collect::<Result<_, _>>()?))
}

/// Describes an error of the migration in terms of the database and this binary.
fn explain(error: &refinery::Error) -> Error {
    Error::Migration(match error.kind() {
        Kind::MissingVersion(found) if is_applied(found) => {
            format!("the database has {found}, which this binary does not know: use a newer daybook")
        }
        Kind::MissingVersion(ours) => {
            format!("the database has migrations after {ours} but not {ours} itself")
        }
        Kind::DivergentVersion(found, ours) => {
            format!("the database has {found}, which is not the {ours} of this binary")
        }
        Kind::Connection(step, source) => match source.downcast_ref::<tokio_postgres::Error>() {
            Some(gone) if gone.is_closed() => return Error::Unavailable(chain(gone)),
            Some(denied) if denied.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {
                let why = chain(denied);
                return Error::Denied(format!(
                    "this login may not migrate ({why}): run daybook migrate as one that may act as daybook_owner"
                ));
            }
            _ => format!("{step}: {}", chain(source.as_ref())),
        },
        _ => chain(error),
    })
}

fn is_applied(migration: &Migration) -> bool {
    migration.applied_on().is_some()
}
