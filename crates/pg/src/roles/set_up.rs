//! Set-up of roles: creates the roles that are missing in the cluster, and gives them their rights in one database.

use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, GenericClient};

use super::rights::{RIGHTS, SCHEMAS};
use super::standing::{Standing, tables};
use super::{Role, model, names, open};
use crate::Error;
use crate::error::chain;

/// Maximum number of attempts of a statement that conflicts with another database of the cluster.
const MAX_ATTEMPTS: u32 = 10;

/// Brings roles and rights up to date; changes nothing if they are. The caller ensures that no other process does so in
/// this database at the same time.
///
/// A login without the right to do so changes nothing and logs a warning once per start: roles are defence in depth.
///
/// # Errors
///
/// [`Error`] if the connection is lost.
pub(crate) async fn set_up(client: &mut Client) -> Result<(), Error> {
    let standing = Standing::of(client).await?;
    if standing.is_set_up && !standing.may_act_as(Role::Owner) {
        return open::tell(client).await;
    }
    if standing.is_set_up && standing.differences.is_empty() {
        return guard(client).await;
    }
    let is_set_up = standing.is_set_up;
    let why = match try_set_up(client, standing).await {
        Ok(()) => return guard(client).await,
        Err(Error::Denied(why)) => why,
        Err(Error::Statement(source)) if source.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {
            chain(&source)
        }
        Err(other) => return Err(other),
    };
    if is_set_up {
        tracing::warn!(
            why,
            "the rights of the roles of the database cannot be brought up to date: see docs/OPERATIONS.md"
        );
    } else {
        tracing::warn!(
            why,
            "the roles of the database are not set up: every connection has all rights of its login. \
             docs/OPERATIONS.md says what a database administrator runs"
        );
    }
    Ok(())
}

/// Revokes rights that should not exist, and warns about objects that others created meanwhile.
async fn guard(client: &Client) -> Result<(), Error> {
    open::shut(client).await?;
    for found in open::planted(client).await? {
        tracing::warn!(
            found,
            "this object was not created by a migration, and its code runs with the rights of other roles: drop it"
        );
    }
    Ok(())
}

async fn try_set_up(client: &mut Client, standing: Standing) -> Result<(), Error> {
    // A new owner of a table takes over its rules, and a rule acts with the rights of the owner.
    if let Some(found) = open::planted(client).await?.first() {
        let text = format!(
            "{found} was not created by a migration and would act with the rights of the owner: drop it"
        );
        return Err(Error::Denied(text));
    }
    for role in Role::ALL {
        if !standing.existing.contains(&role) {
            if !standing.makes_roles {
                return Err(Error::Denied(format!("{:?} may not make the role {role}", standing.login)));
            }
            patiently(client, &format!("create role {role} nologin")).await?;
        }
    }
    let standing = Standing::of(client).await?;
    for role in Role::ALL {
        if !standing.may_act_as(role) {
            patiently(client, &format!("grant {role} to session_user")).await?;
        }
    }
    let transaction = client.transaction().await?;
    for statement in statements(&transaction).await? {
        transaction.batch_execute(&statement).await?;
    }
    let reached = Standing::of(&transaction).await?;
    if let Some(difference) = reached.differences.first() {
        return Err(Error::Denied(format!("{difference} after all was granted")));
    }
    transaction.commit().await.map_err(Error::at_commit)
}

/// Runs a statement about roles, with retries: roles belong to the cluster, where other databases may be set up at the
/// same time.
async fn patiently(client: &Client, statement: &str) -> Result<(), Error> {
    for _ in 1..MAX_ATTEMPTS {
        match client.batch_execute(statement).await {
            Ok(()) => return Ok(()),
            Err(error) => match error.code() {
                Some(&SqlState::DUPLICATE_OBJECT) => return Ok(()),
                // Both mean that another was first: "tuple concurrently updated" has no code of its own.
                Some(&SqlState::UNIQUE_VIOLATION | &SqlState::INTERNAL_ERROR) => {}
                _ => return Err(error.into()),
            },
        }
    }
    Ok(client.batch_execute(statement).await?)
}

/// Returns the statements that give every role its rights and revoke all other rights.
async fn statements(client: &impl GenericClient) -> Result<Vec<String>, Error> {
    let owner = Role::Owner;
    let others = format!("public, {}", names().join(", ")).replace(&format!(", {owner}"), "");
    let mut statements = vec![];
    for (schema, roles) in SCHEMAS {
        let users = list(roles);
        statements.push(format!(
            "grant usage on schema {schema} to {users}; revoke all on schema {schema} from public"
        ));
    }
    statements.push(format!("grant create on schema public to {owner}"));
    statements.push(format!("alter schema vault owner to {owner}"));
    let named = tables();
    for row in client.query(include_str!("sql/tables.sql"), &[&named]).await? {
        let (name, is_of, is_model): (&str, &str, bool) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        // This statement waits for every user of the table, so it is not repeated.
        if is_of != owner.name() {
            statements.push(format!("alter table {name} owner to {owner}"));
        }
        statements.push(format!("revoke all on table {name} from {others}"));
        if is_model {
            statements.extend(model::grants(name));
        }
    }
    for row in client.query(include_str!("sql/functions.sql"), &[&named]).await? {
        let name: &str = row.try_get(0)?;
        statements.push(format!("alter function {name} owner to {owner}"));
        statements.push(format!("revoke all on function {name} from {others}"));
    }
    for (table, rights) in RIGHTS {
        for (role, verbs) in *rights {
            let verbs = verbs.iter().map(|verb| match verb.parts() {
                (verb, []) => verb.to_owned(),
                (verb, columns) => format!("{verb} ({})", columns.join(", ")),
            });
            statements
                .push(format!("grant {} on table {table} to {role}", verbs.collect::<Vec<_>>().join(", ")));
        }
    }
    // Rights are given table by table. An earlier release gave them by default privileges of the projector.
    statements.push(format!(
        "alter default privileges for role {} in schema public revoke all on tables from {others}",
        Role::Projector
    ));
    Ok(statements)
}

fn list(roles: &[Role]) -> String {
    roles.iter().map(|role| role.name()).collect::<Vec<_>>().join(", ")
}
