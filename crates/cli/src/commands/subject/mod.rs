//! `daybook subject`: export, retention and erasure of the data about a person.

mod export;
mod verify;
mod walk;

use daybook_domain::UserId;
use daybook_domain::roles::Right;
use daybook_domain::user::retain::HoldChange;
use serde_json::{Value, json};

use super::ops::as_operator;
use crate::config::{OperatorOptions, Subject};
use crate::error::Error;

/// Runs the command.
///
/// # Errors
///
/// Fails if the database cannot be reached, the credentials are wrong, or the rules refuse the command. `verify-erased`
/// also fails with [`Error::Remains`].
pub async fn run(command: Subject) -> Result<(), Error> {
    match command {
        Subject::Export { user, output, desk } => export::export(&desk, user, output.as_deref()).await,
        Subject::Hold { user, reason, desk, .. } => {
            let hold = reason.map_or(HoldChange::Released, |reason| HoldChange::Set(reason.into()));
            as_operator(&desk, Right::People, async |work| {
                let (platform, by) = (&work.platform, work.operator.id);
                work.engine.retain_user(platform, by, user, None, hold).await?;
                let says = if reason.is_some() { "is on legal hold" } else { "is not on legal hold" };
                let record = json!({"user_id": user.to_string(), "legal_hold": reason.is_some()});
                tell(&desk, &record, &format!("User {user} {says}."))
            })
            .await
        }
        Subject::Retain { user, until, desk } => {
            as_operator(&desk, Right::People, async |work| {
                let (platform, by) = (&work.platform, work.operator.id);
                work.engine.retain_user(platform, by, user, Some(until.start()), HoldChange::Stays).await?;
                let record = json!({"user_id": user.to_string(), "retained_until": until.to_string()});
                tell(&desk, &record, &format!("The records of user {user} are kept until {until}."))
            })
            .await
        }
        Subject::Erase { user, reason, close, desk } => erase(&desk, user, reason.into(), close).await,
        Subject::VerifyErased { user, json, database } => verify::verify(&database, user, json).await,
    }
}

async fn erase(
    desk: &OperatorOptions,
    user: UserId,
    reason: daybook_domain::user::ErasureReason,
    close: bool,
) -> Result<(), Error> {
    as_operator(desk, Right::People, async |work| {
        let (platform, by) = (&work.platform, work.operator.id);
        if close {
            work.engine.close_user(platform, by, user).await?;
        }
        work.engine.erase_user(platform, by, user, reason).await?;
        let said = format!(
            "User {user} is erased: its keys are destroyed, and every process that serves has forgotten them within a \
             second. Copies of the vault in backups end with those backups; files that were sent to banks and exports \
             that were made are not reached."
        );
        tell(desk, &json!({"user_id": user.to_string(), "erased": true}), &said)
    })
    .await
}

/// Prints the result.
fn tell(desk: &OperatorOptions, record: &Value, text: &str) -> Result<(), Error> {
    let said = if desk.json { record.to_string() } else { text.to_owned() };
    Ok(crate::say!("{said}")?)
}
