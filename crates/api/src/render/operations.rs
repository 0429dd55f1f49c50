//! Records of operations, for one and for a list.

use daybook_domain::{Key, OperationId, States};
use daybook_engine::access::PlatformRecord;

use super::View;
use crate::app::App;
use crate::error::ApiError;
use crate::wire::ops::operation::{self, Operation};
use crate::wire::record::Client;

/// Returns the record of an operation of `platform`.
pub(crate) async fn operation(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    id: OperationId,
) -> Result<Operation, ApiError> {
    operations(app, platform, view, &[id]).await?.pop().ok_or(ApiError::NotFound)
}

/// Returns the records of the operations among `ids` that belong to `platform`, in the same order.
pub(crate) async fn operations(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    ids: &[OperationId],
) -> Result<Vec<Operation>, ApiError> {
    let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
    let found = view.records(app, platform, &keys).await?;
    let known = ids.iter().filter_map(|id| Some((*id, found.operation(*id)?)));
    let known: Vec<_> = known.filter(|(_, operation)| operation.platform == platform.id).collect();
    let reasons = app.engine.reasons(platform, known.iter().map(|(_, operation)| *operation)).await?;
    let record = |((id, state), reason)| {
        let client = Client { id: platform.client_id.clone(), name: platform.name.clone() };
        operation::render(id, state, reason, client, &app.base_url)
    };
    Ok(known.into_iter().zip(reasons).map(record).collect())
}
