//! `GET /v3.1/users/{user_id}/nodes/{node_id}/statements/{statement_id}.csv`

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_DISPOSITION;
use actix_web::web::{self, Bytes};
use daybook_domain::NodeId;
use daybook_projector::Error;
use futures::stream::{self, StreamExt};

use super::asked;
use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::envelope::WithPosition;
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::InPath;
use crate::wire::moment::Latest;
use crate::wire::statement;
use crate::wire::statement::StatementId;

/// Maximum number of entries in memory at a time.
const PAGE_SIZE: u32 = 1_000;

/// Returns an account statement with all its entries as CSV. The entries are streamed, so there is no limit on their
/// number.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes/{node_id}/statements/{statement_id}.csv", operation_id = "statements.csv",
    responses((status = 200, body = String, content_type = "text/csv")),
)]
pub async fn csv(
    app: web::Data<App>,
    caller: Caller<scopes::NodeGet>,
    path: InPath<(NodeId, StatementId)>,
    latest: InQuery<Latest>,
) -> Result<WithPosition<HttpResponse>, ApiError> {
    latest.values()?;
    let (id, found) = asked(&app, &caller, path).await?;
    let (reads, shard) = (app.reads.clone(), caller.platform.shard);
    // Read before the answer begins, because its status can then still report that the log is unavailable.
    let first = reads.statements().entries(shard, &found, 0, PAGE_SIZE).await?;
    let lines = stream::try_unfold((first, 0), move |(entries, told)| {
        let reads = reads.clone();
        async move {
            let Ok(count @ 1..) = u32::try_from(entries.len()) else { return Ok::<_, Error>(None) };
            let told = told + count;
            let next = reads.statements().entries(shard, &found, told, PAGE_SIZE).await?;
            Ok(Some((Bytes::from(statement::rows(&entries)), (next, told))))
        }
    });
    let end = |text: Vec<u8>| stream::iter([Ok(Bytes::from(text))]);
    let answer = HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{id}.csv\"")))
        .streaming(end(statement::head(&found)).chain(lines).chain(end(statement::tail(&found))));
    Ok(WithPosition::of(answer, found.position))
}
