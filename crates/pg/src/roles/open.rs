//! Open doors: rights to make things, which nobody but the owner has, and things that somebody else made meanwhile. Code in
//! a policy, a view or a trigger runs with the rights of the role that comes by.

use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, GenericClient};

use super::rights::SCHEMAS;
use super::standing::tables;
use super::{Role, names};
use crate::Error;

/// Takes from everybody and from all roles but the owner the right to make tables, temporary ones too. Warns of what is
/// left: a login that owns neither database nor schema cannot take it away.
pub(super) async fn shut(client: &Client) -> Result<(), Error> {
    for statement in open(client).await? {
        match client.batch_execute(&statement).await {
            Err(error) if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {}
            done => done?,
        }
    }
    tell(client).await
}

/// Warns of what is open: a login that may not shut it can see it all the same.
pub(super) async fn tell(client: &Client) -> Result<(), Error> {
    for statement in open(client).await? {
        tracing::warn!(statement, "the owner of the database should run this: others may make tables in it");
    }
    Ok(())
}

/// The statements that shut what is open.
async fn open(client: &impl GenericClient) -> Result<Vec<String>, Error> {
    let schemas = SCHEMAS.map(|(name, _)| name);
    let sql = include_str!("sql/open.sql");
    let rows = client.query(sql, &[&schemas.as_slice(), &names().as_slice(), &Role::Owner.name()]).await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// What is on our tables, or belongs to a role that makes nothing, and was made by no migration.
pub(super) async fn planted(client: &impl GenericClient) -> Result<Vec<String>, Error> {
    let named = tables();
    let sql = include_str!("sql/planted.sql");
    let rows = client.query(sql, &[&named, &names().as_slice(), &Role::Owner.name()]).await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}
