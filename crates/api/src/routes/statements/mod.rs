//! Handlers of account statements: list, get, CSV.

pub mod csv;
pub mod get;
pub mod list;

use daybook_domain::NodeId;
use daybook_projector::Statement;

use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::error::ApiError;
use crate::path::InPath;
use crate::render;
use crate::wire::statement::StatementId;

/// Returns the statement in the path if it belongs to the caller.
async fn asked(
    app: &App,
    caller: &Caller<scopes::NodeGet>,
    path: InPath<(NodeId, StatementId)>,
) -> Result<(StatementId, Statement), ApiError> {
    let platform = &caller.platform;
    let (node, id) = path.ids()?;
    if id.node != node {
        return Err(ApiError::NotFound);
    }
    render::account(app, platform, caller.user, id.node, id.currency).await?;
    let StatementId { node, currency, month } = id;
    let found = app.reads.statements().find(platform.shard, platform.id, node, currency, month).await?;
    Ok((id, found.ok_or(ApiError::NotFound)?))
}
