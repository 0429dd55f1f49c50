//! Checks of the server before a ledger is kept on it: it acknowledges only data that are on disk, and each connection
//! has a session of its own.

use crate::{Error, Pg, session};

/// Settings that must be on. Measured with power cuts: with any of them off, acknowledged commits are lost.
const REQUIRED: [&str; 3] = ["fsync", "full_page_writes", "synchronous_commit"];

/// Checks that an acknowledged COMMIT survives a power cut, and that no connection pooler shares sessions. Warns if the
/// server would not notice a damaged page.
///
/// # Errors
///
/// [`Error::Config`] with the name of the setting that is off, or about the pooler.
pub async fn check(pg: &Pg) -> Result<(), Error> {
    let client = pg.dedicated().await?;
    session::check_pooling(pg, &client).await?;
    let rows = client
        .query("select name, setting from pg_settings where name = any($1)", &[&REQUIRED.as_slice()])
        .await?;
    for row in rows {
        let (name, setting): (String, String) = (row.get(0), row.get(1));
        if setting == "off" {
            return Err(Error::Config(format!(
                "{name} is off: acknowledged commits could be lost; turn it on"
            )));
        }
    }
    let row = client.query_one("select current_setting('data_checksums')", &[]).await?;
    if row.get::<_, &str>(0) == "off" {
        tracing::warn!("data_checksums is off: a damaged page would be read as if it were whole");
    }
    Ok(())
}
