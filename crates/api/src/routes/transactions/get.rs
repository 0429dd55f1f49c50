//! `GET /v3.1/users/{user_id}/nodes/{node_id}/trans/{trans_id}`

use actix_web::web;
use daybook_domain::{NodeId, TransactionId};

use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::InPath;
use crate::render::{self, View};
use crate::wire::moment::AsOf;
use crate::wire::transaction::Transaction;

/// Returns a transaction, current or at an earlier moment. The node in the path is that of the sender or the receiver.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes/{node_id}/trans/{trans_id}", operation_id = "trans.get",
    responses((status = 200, body = Record<Transaction>)),
)]
pub async fn get(
    app: web::Data<App>,
    caller: Caller<scopes::TranGet>,
    path: InPath<(NodeId, TransactionId)>,
    as_of: InQuery<AsOf>,
) -> Result<WithPosition<Record<Transaction>>, ApiError> {
    let (node, id) = path.ids()?;
    let (platform, by) = (&caller.platform, render::Viewer::Side { user: caller.user, node });
    let view = View::asked(&app, platform, as_of).await?;
    Ok(Record(render::transaction(&app, platform, view, by, id).await?).at(view.position()))
}
