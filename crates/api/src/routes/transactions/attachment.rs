//! `GET /v3.1/users/{user_id}/nodes/{node_id}/trans/{trans_id}/attachments/{attachment_id}`

use actix_web::web;
use daybook_domain::{AttachmentId, NodeId, TransactionId};

use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::InPath;
use crate::render::{self, View};
use crate::wire::moment::AsOf;
use crate::wire::transaction::Attachment;

/// Returns an attachment of a transaction. Only the user who uploaded it may read it.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes/{node_id}/trans/{trans_id}/attachments/{attachment_id}", operation_id = "trans.attachment",
    responses((status = 200, body = Record<Attachment>)),
)]
pub async fn attachment(
    app: web::Data<App>,
    caller: Caller<scopes::TranGet>,
    path: InPath<(NodeId, TransactionId, AttachmentId)>,
    as_of: InQuery<AsOf>,
) -> Result<WithPosition<Record<Attachment>>, ApiError> {
    let _turn = app.engine.concurrency_limits().large_read(caller.platform.id, caller.user).await?;
    let (node, transaction, attachment) = path.ids()?;
    let by = render::Viewer::Side { user: caller.user, node };
    let attachment = render::AttachmentSource { transaction, attachment };
    let platform = &caller.platform;
    let view = View::asked(&app, platform, as_of).await?;
    Ok(Record(render::attachment(&app, platform, view, by, attachment).await?).at(view.position()))
}
