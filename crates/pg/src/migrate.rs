//! Migrations: `migrations/V*__*.sql`, compiled in, forward only, applied at start.

use refinery::Migration;
use refinery::error::Kind;

use crate::error::chain;
use crate::{Error, Pg};

mod files {
    refinery::embed_migrations!("../../migrations");
}

/// Processes that start at once migrate one after the other. A migration may take its time, but not wait for a lock
/// that holds up others: the session's `lock_timeout` is back when it begins. The number is `daybook` in ASCII.
const QUEUE: &str = "set statement_timeout = 0; set lock_timeout = 0; \
     select pg_advisory_lock(x'646179626f6f6b'::bigint); reset lock_timeout";

/// Brings the schema up to this binary's version; answers how many migrations it applied.
///
/// # Errors
///
/// [`Error::Migration`] if the database holds a migration that this binary does not know (the binary is older than
/// the schema) or knows with another text, or if one fails; [`Error::Unavailable`] if the database goes away.
pub async fn run(pg: &Pg) -> Result<usize, Error> {
    // The advisory lock ends with this connection.
    let mut client = pg.dedicated().await?;
    client.batch_execute(QUEUE).await?;
    let runner = files::migrations::runner().set_abort_missing(true).set_abort_divergent(true);
    match runner.run_async(&mut client).await {
        Ok(report) => Ok(report.applied_migrations().len()),
        Err(error) => Err(explain(&error)),
    }
}

/// Says what went wrong in terms of the database and this binary.
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
            _ => format!("{step}: {}", chain(source.as_ref())),
        },
        _ => chain(error),
    })
}

fn is_applied(migration: &Migration) -> bool {
    migration.applied_on().is_some()
}
