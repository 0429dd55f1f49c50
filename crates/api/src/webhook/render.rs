//! Body of a webhook: the changed record as the original service sent it. It reflects the position of the event, so it
//! has the same bytes at every attempt, unless a person was erased in between.

use daybook_domain::id::BoxId;
use daybook_domain::subscription::{Notice, Scope};
use daybook_domain::{Actor, Kind, NodeId, SubnetId, TransactionId, UserId};
use daybook_engine::access::PlatformRecord;
use daybook_projector::RecordedEvent;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::extended;
use crate::app::App;
use crate::error::ApiError;
use crate::render::{self, View, Viewer};

/// Metadata of a change, as the original service sent it.
#[derive(Serialize)]
struct Meta<'a> {
    date: Time,
    function: &'static str,
    log_id: &'a str,
    updated_by: &'static str,
}

#[derive(Serialize)]
struct Time {
    #[serde(rename = "$date")]
    ms: i64,
}

/// Returns the id of an event as text.
pub(super) fn event_id(happened: &RecordedEvent) -> String {
    BoxId::from_u128(happened.event_id).to_string()
}

/// Returns the id of the record that an event concerns, as the API shows it.
pub(super) fn object_id(happened: &RecordedEvent) -> String {
    // All ids have the same spelling, whatever they name.
    BoxId::from_u128(happened.key.id).to_string()
}

/// Returns the body for the event of `notice`, under `scope`.
pub(crate) async fn body(
    app: &App,
    platform: &PlatformRecord,
    happened: &RecordedEvent,
    notice: Notice,
    scope: Scope,
) -> Result<Vec<u8>, ApiError> {
    let record = record(app, platform, happened).await?;
    let meta = Meta {
        date: Time { ms: happened.effective_at.ms() },
        function: scope.as_str(),
        log_id: &event_id(happened),
        updated_by: updated_by(notice.by),
    };
    let unwritten = |error: serde_json::Error| ApiError::internal(&error);
    let fields = extended::fields(&record).map_err(unwritten)?;
    let meta = to_raw_value(&meta).map_err(unwritten)?;
    let position = happened.position;
    let text = format!("{{{fields},\"_rest\":{record},\"webhook_meta\":{meta},\"position\":{position}}}");
    Ok(text.into_bytes())
}

/// Returns the author of a change as the original named it: its customer or itself.
const fn updated_by(actor: Actor) -> &'static str {
    match actor {
        Actor::Platform | Actor::User(_) => "SELF",
        Actor::Process | Actor::Operator(_) | Actor::Bank => "BACKEND",
    }
}

/// Returns the record that an event changed, in the state right after it. A user's record has no refresh token: tokens
/// belong to no position, and receivers must not get them.
async fn record(
    app: &App,
    platform: &PlatformRecord,
    happened: &RecordedEvent,
) -> Result<Box<RawValue>, ApiError> {
    let (view, id) = (View::At(happened.position), happened.key.id);
    let written = match happened.key.kind {
        Kind::User => {
            to_raw_value(&render::user_without_token(app, platform, view, UserId::from_u128(id)).await?)
        }
        Kind::Node => {
            let found = render::nodes(app, platform, view, None, &[NodeId::from_u128(id)]).await?;
            to_raw_value(found.first().ok_or(ApiError::NotFound)?)
        }
        Kind::Transaction => {
            let id = TransactionId::from_u128(id);
            to_raw_value(&render::transaction(app, platform, view, Viewer::Platform, id).await?)
        }
        Kind::Subnet => to_raw_value(&render::subnet(app, platform, view, SubnetId::from_u128(id)).await?),
        // No notice concerns these kinds.
        Kind::Platform
        | Kind::Account
        | Kind::Custody
        | Kind::Operation
        | Kind::Subscription
        | Kind::Attachment
        | Kind::Attestation
        | Kind::Statement
        | Kind::Evidence
        | Kind::Roles
        | Kind::Break => return Err(ApiError::NotFound),
    };
    written.map_err(|error| ApiError::internal(&error))
}
