//! Rights to create objects, which only the owner should have, and objects that other roles created while they had
//! them. Code in a policy, a view or a trigger runs with the rights of the role that uses the table.

use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, GenericClient};

use super::rights::SCHEMAS;
use super::standing::tables;
use super::{Role, names};
use crate::Error;

/// Revokes the right to create tables, including temporary ones, from PUBLIC and from all roles but the owner. Warns
/// about rights that remain: a login that owns neither the database nor the schema cannot revoke them.
pub(super) async fn shut(client: &Client) -> Result<(), Error> {
    for statement in open(client).await? {
        match client.batch_execute(&statement).await {
            Err(error) if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {}
            done => done?,
        }
    }
    tell(client).await
}

/// Warns about rights that remain. A login that may not revoke them can still see them.
pub(super) async fn tell(client: &Client) -> Result<(), Error> {
    for statement in open(client).await? {
        tracing::warn!(
            statement,
            "other roles may create tables in the database: its owner should run this statement"
        );
    }
    Ok(())
}

/// Returns the statements that revoke the remaining rights.
async fn open(client: &impl GenericClient) -> Result<Vec<String>, Error> {
    let schemas = SCHEMAS.map(|(name, _)| name);
    let sql = include_str!("sql/open.sql");
    let rows = client.query(sql, &[&schemas.as_slice(), &names().as_slice(), &Role::Owner.name()]).await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Returns the objects that no migration created: those on tables of the ledger, and those of roles that create
/// nothing.
pub(super) async fn planted(client: &impl GenericClient) -> Result<Vec<String>, Error> {
    let named = tables();
    let sql = include_str!("sql/planted.sql");
    let rows = client.query(sql, &[&named, &names().as_slice(), &Role::Owner.name()]).await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}
