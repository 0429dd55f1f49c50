//! `daybook operator`: the persons who run the ledger, and their credentials.

use daybook_domain::Timestamp;
use daybook_domain::id::OperatorId;
use daybook_engine::access::{ListedOperator, OperatorRecord, operator_id_text, parse_operator_id};
use daybook_engine::{Clock, Entropy};
use serde_json::{Value, json};

use crate::access::with;
use crate::commands::check_name;
use crate::config::{Database as Options, Operator};
use crate::error::Error;

/// Does what is asked for.
///
/// # Errors
///
/// If the database cannot be reached, or there is no such operator.
pub async fn run(command: Operator) -> Result<(), Error> {
    let said = match command {
        Operator::Create { name, json, database } => create(name, json, &database).await,
        Operator::List { json, database } => list(json, &database).await,
        Operator::Revoke { id, database } => revoke(&id, &database).await,
    }?;
    println!("{said}");
    Ok(())
}

async fn create(name: String, json: bool, options: &Options) -> Result<String, Error> {
    // The list is printed to terminals, a line an operator.
    check_name("an operator", &name)?;
    let now = Clock.now();
    let operator = OperatorRecord { id: OperatorId::from_u128(Entropy.ulid(now)), name, created_at: now };
    let secret = format!("operator_secret_{}", hex::encode(Entropy.bytes::<32>()));
    with(options, async |access| Ok(access.store_operator(&operator, &secret).await?)).await?;
    Ok(if json { as_json(&operator, &secret).to_string() } else { as_text(&operator, &secret) })
}

async fn list(json: bool, options: &Options) -> Result<String, Error> {
    let operators = with(options, async |access| Ok(access.operators().await?)).await?;
    if json {
        return Ok(operators.iter().map(listed_as_json).collect::<Value>().to_string());
    }
    if operators.is_empty() {
        return Ok("There are no operators.".into());
    }
    Ok(operators.iter().map(listed_as_text).collect::<Vec<_>>().join("\n"))
}

async fn revoke(id: &str, options: &Options) -> Result<String, Error> {
    let unknown = || Error::Usage("there is no operator with this id; see daybook operator list".into());
    let operator = parse_operator_id(id).ok_or_else(unknown)?;
    let found =
        with(options, async |access| Ok(access.revoke_operator(operator, Clock.now()).await?)).await?;
    if found { Ok(format!("{id} is revoked.")) } else { Err(unknown()) }
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
