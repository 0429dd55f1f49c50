//! `GET /v3.1/users/{user_id}/nodes/{node_id}/statements/{statement_id}`

use actix_web::web;
use daybook_domain::NodeId;

use super::asked;
use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::page::Page;
use crate::path::InPath;
use crate::wire::statement::{self, Detailed, Owner, StatementId};

/// Returns an account statement with one page of its entries.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes/{node_id}/statements/{statement_id}", operation_id = "statements.get",
    responses((status = 200, body = Record<Detailed>)),
)]
pub async fn get(
    app: web::Data<App>,
    caller: Caller<scopes::NodeGet>,
    page: Page,
    path: InPath<(NodeId, StatementId)>,
) -> Result<WithPosition<Record<Detailed>>, ApiError> {
    let platform = &caller.platform;
    let (_, found) = asked(&app, &caller, path).await?;
    let entries = app.reads.statements().page(platform.shard, &found, page.into()).await?;
    let owner = Owner { client_id: &platform.client_id, user: caller.user, base_url: &app.base_url };
    Ok(Record(statement::detailed(&found, owner, &entries, page)).at(found.position))
}
