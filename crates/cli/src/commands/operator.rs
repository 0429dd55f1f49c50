//! `daybook operator`: the operators of the ledger, their credentials and roles.

mod roles;

use daybook_domain::Timestamp;
use daybook_domain::id::OperatorId;
use daybook_engine::access::{
    ListedOperator, OperatorRecord, operator_id_text, operators, parse_operator_id, revoke_operator,
};
use daybook_engine::{Clock, Entropy};
use daybook_pg::{Pg, Role};
use serde_json::{Value, json};

use crate::access::{with, without_keys};
use crate::commands::check_name;
use crate::config::{Database as Options, Operator};
use crate::database::Database;
use crate::error::Error;
use crate::out::{self, Output};

/// Runs the command.
///
/// # Errors
///
/// Fails if the database cannot be reached, or there is no such operator.
pub async fn run(command: Operator) -> Result<(), Error> {
    let (is_json, (record, text)) = match command {
        Operator::Create { name, json, database } => (json, create(name, &database).await?),
        Operator::List { json, database } => (json, list(&database).await?),
        Operator::Roles { id, roles, json, database } => (json, roles::roles(&id, &roles, &database).await?),
        Operator::Revoke { id, json, database } => (json, revoke(&id, &database).await?),
    };
    Ok(out::answer(is_json, &record, &text)?)
}

async fn create(name: String, options: &Options) -> Result<Output, Error> {
    // The list is printed to terminals with one line per operator.
    check_name("an operator", &name)?;
    let now = Clock.now();
    let operator = OperatorRecord { id: OperatorId::from_u128(Entropy.ulid(now)), name, created_at: now };
    let secret = format!("operator_secret_{}", hex::encode(Entropy.bytes::<32>()));
    with(options, async |access| Ok(access.store_operator(&operator, &secret).await?)).await?;
    Ok((as_json(&operator, &secret), as_text(&operator, &secret)))
}

async fn list(options: &Options) -> Result<Output, Error> {
    // The auditor's role may read the list, and so may the service's role.
    let database = Database::open(options).await?;
    let read = async |database: &Database| {
        let pg = database.pg.acting_as_first_of(&[Role::Auditor, Role::App]).await?;
        Ok::<_, Error>(operators(&pg).await?)
    };
    let operators = database.during(read).await?;
    let text = if operators.is_empty() {
        "There are no operators.".into()
    } else {
        operators.iter().map(listed_as_text).collect::<Vec<_>>().join("\n")
    };
    Ok((operators.iter().map(listed_as_json).collect(), text))
}

async fn revoke(id: &str, options: &Options) -> Result<Output, Error> {
    let operator = parse_operator_id(id).ok_or_else(unknown)?;
    let revoke = async |pg: &Pg| Ok(revoke_operator(pg, operator, Clock.now()).await?);
    if !without_keys(options, revoke).await? {
        return Err(unknown());
    }
    Ok((json!({"operator_id": id, "revoked": true}), format!("{id} is revoked.")))
}

fn unknown() -> Error {
    Error::Usage("there is no operator with this id; see daybook operator list".into())
}

fn as_json(operator: &OperatorRecord, secret: &str) -> Value {
    json!({"operator_id": operator_id_text(operator.id), "operator_secret": secret, "name": operator.name})
}

fn as_text(operator: &OperatorRecord, secret: &str) -> String {
    let id = operator_id_text(operator.id);
    format!("operator_id      {id}\noperator_secret  {secret}   (shown this once)")
}

fn listed_as_json(listed: &ListedOperator) -> Value {
    let ListedOperator { operator, revoked_at } = listed;
    json!({
        "operator_id": operator_id_text(operator.id),
        "name": operator.name,
        "created_at": operator.created_at.ms(),
        "revoked_at": revoked_at.map(Timestamp::ms),
    })
}

fn listed_as_text(listed: &ListedOperator) -> String {
    let state = if listed.revoked_at.is_some() { "revoked" } else { "active " };
    format!("{}  {state}  {}", operator_id_text(listed.operator.id), listed.operator.name)
}
