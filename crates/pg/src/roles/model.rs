//! Rights to the tables of read models. All of them have the same owner and the same rights.

use tokio_postgres::GenericClient;

use super::Role;
use super::rights::MODEL;
use crate::Error;

/// Returns the statements that give every role its rights to the read model `table`.
pub(super) fn grants(table: &str) -> impl Iterator<Item = String> {
    MODEL.iter().map(move |(role, verbs)| {
        let verbs: Vec<_> = verbs.iter().map(|verb| verb.parts().0).collect();
        format!("grant {} on table {table} to {role}", verbs.join(", "))
    })
}

/// Gives roles their rights to the read model `table`, which the connection has just created. If no roles are set up,
/// the login created it, and there is no role to share it with.
///
/// # Errors
///
/// [`Error`] if the connection is lost.
pub async fn share_model(client: &impl GenericClient, table: &str) -> Result<(), Error> {
    let row = client.query_one("select current_user = $1::text", &[&Role::Owner.name()]).await?;
    if row.try_get(0)? {
        for grant in grants(table) {
            client.batch_execute(&grant).await?;
        }
    }
    Ok(())
}
