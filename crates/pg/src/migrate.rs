//! Migrations: `migrations/V*__*.sql`, compiled in, forward only, applied at start.

use std::time::Duration;

use crate::{Error, Pg};

mod embedded {
    refinery::embed_migrations!("../../migrations");
}

/// Another process may be migrating the same database: the loser of that race looks again.
const ATTEMPTS: u32 = 5;

/// Brings the schema up to this binary's version; answers how many migrations it applied.
///
/// # Errors
///
/// [`Error::Migration`] if the database holds a migration that this binary does not know (the binary is older than
/// the schema) or knows with another text, or if one fails.
pub async fn run(pg: &Pg) -> Result<usize, Error> {
    let mut attempt = 1;
    loop {
        let mut client = pg.dedicated().await?;
        client.batch_execute("set statement_timeout = 0").await?;
        let runner = embedded::migrations::runner().set_abort_missing(true).set_abort_divergent(true);
        match runner.run_async(&mut client).await {
            Ok(report) => return Ok(report.applied_migrations().len()),
            Err(error) if attempt == ATTEMPTS || is_refusal(&error) => {
                return Err(Error::Migration(error.to_string()));
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
        }
        attempt += 1;
    }
}

/// Whether looking again cannot help.
fn is_refusal(error: &refinery::Error) -> bool {
    use refinery::error::Kind;
    matches!(
        error.kind(),
        Kind::MissingVersion(_) | Kind::DivergentVersion(..) | Kind::RepeatedVersion(_) | Kind::InvalidName
    )
}
