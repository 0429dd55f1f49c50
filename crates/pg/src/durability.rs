//! Check that the server acknowledges only data that are on disk.

use tokio_postgres::Client;

use crate::{Error, Pg};

/// Settings that must be on. Measured with power cuts: with any of them off, acknowledged commits are lost.
const REQUIRED: [&str; 3] = ["fsync", "full_page_writes", "synchronous_commit"];

/// Checks that an acknowledged COMMIT survives a power cut. Warns if the server would not notice a damaged page.
///
/// # Errors
///
/// [`Error::Config`] with the name of the setting that is off.
pub async fn check(pg: &Pg) -> Result<(), Error> {
    let client = pg.dedicated().await?;
    check_pooling(pg, &client).await?;
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

/// Checks that `client` keeps its server process while another connection has a transaction open. A pooler in
/// transaction mode gives one process to both in turn: settings, prepared statements and locks of the session would be
/// another's.
async fn check_pooling(pg: &Pg, client: &Client) -> Result<(), Error> {
    let before = process(client).await?;
    let other = pg.dedicated().await?;
    other.batch_execute("begin").await?;
    let others = process(&other).await?;
    let after = process(client).await?;
    other.batch_execute("rollback").await?;
    if before == after && before != others {
        return Ok(());
    }
    let what =
        "a connection pooler gives one server process to several connections; set its pool_mode to session";
    Err(Error::Config(what.to_owned()))
}

/// Id of the server process that serves a connection.
async fn process(client: &Client) -> Result<i32, Error> {
    let rows = client.query_typed("select pg_backend_pid()", &[]).await?;
    let row = rows.first().ok_or_else(|| Error::Unavailable("no answer".to_owned()))?;
    Ok(row.try_get(0)?)
}
