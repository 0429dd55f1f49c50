//! `daybook operator roles`: shows or sets the roles of an operator.

use std::collections::BTreeSet;

use daybook_domain::PlatformId;
use daybook_domain::id::OperatorId;
use daybook_domain::roles::{Grant, Role};
use daybook_engine::Engine;
use daybook_engine::access::parse_operator_id;
use serde_json::json;

use super::unknown;
use crate::commands::ledger::{SETTLE_IMMEDIATELY, platform, with_engine};
use crate::config::{Bank, Database as Options};
use crate::error::Error;
use crate::out::Output;

/// Word for no role.
const NONE: &str = "none";

/// Shows the roles of an operator, after it was given those in `words`, if any.
pub(super) async fn roles(id: &str, words: &[String], options: &Options) -> Result<Output, Error> {
    let operator = parse_operator_id(id).ok_or_else(unknown)?;
    with_engine(options, SETTLE_IMMEDIATELY, &Bank::default(), async |engine| {
        let operators = engine.access().operators().await?;
        if !operators.iter().any(|it| it.operator.id == operator) {
            return Err(unknown());
        }
        if !words.is_empty() {
            engine.set_roles(operator, parse(&engine, words).await?).await?;
        }
        shown(&engine, id, operator).await
    })
    .await
}

async fn parse(engine: &Engine, words: &[String]) -> Result<BTreeSet<(Role, Option<PlatformId>)>, Error> {
    let mut roles = BTreeSet::new();
    if words == [NONE] {
        return Ok(roles);
    }
    for word in words {
        let (role, on) = word.split_once('@').map_or((&**word, None), |(role, on)| (role, Some(on)));
        let names = Role::ALL.map(Role::as_str).join(", ");
        let role = Role::parse(role)
            .ok_or_else(|| Error::Usage(format!("{word}: no role; there are {names}, and {NONE}")))?;
        let on = match on {
            Some(name) => Some(platform(engine.access(), name).await?.id),
            None => None,
        };
        roles.insert((role, on));
    }
    Ok(roles)
}

async fn shown(engine: &Engine, id: &str, operator: OperatorId) -> Result<Output, Error> {
    let grants: Vec<Grant> = match engine.roles().await? {
        Some(roles) => roles.of(operator).copied().collect(),
        None => vec![Grant::admin(operator)],
    };
    let (mut records, mut words) = (vec![], vec![]);
    for Grant { role, platform, .. } in grants {
        let on = match platform {
            Some(id) => {
                Some(engine.access().platform(id).await?.map_or(id.to_string(), |it| it.client_id.clone()))
            }
            None => None,
        };
        words.push(
            on.as_ref().map_or(role.as_str().to_owned(), |on| format!("{role}@{on}", role = role.as_str())),
        );
        records.push(json!({"role": role, "client_id": on}));
    }
    let text = if words.is_empty() { NONE.to_owned() } else { words.join("\n") };
    Ok((json!({"operator_id": id, "roles": records}), text))
}
