//! `POST /v3.1/sandbox/bank/statement`

use actix_web::web;
use daybook_engine::Call;
use daybook_engine::statements::OtherAccounts;

use crate::app::App;
use crate::auth::Sandbox;
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::wire::sandbox::statement::{StateDay, WrittenFile};

/// Writes the statement of the sandbox's bank for the current day, in a format of banks, and takes it in if `take` says so.
/// Nothing is recorded otherwise.
#[utoipa::path(
    post, path = "/v3.1/sandbox/bank/statement", operation_id = "sandbox.statement",
    params(DryRun),
    request_body = StateDay,
    responses((status = 200, body = Record<WrittenFile>)),
)]
pub async fn statement(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    body: Body,
) -> Result<WithPosition<Record<WrittenFile>>, ApiError> {
    let platform = &gateway.platform;
    let (options, is_taken) = body.json::<StateDay>()?.parse()?;
    let head = app.reads.aggregates().head(platform.shard).await?;
    let written = app.engine.sandbox_statement(platform, &options).await?;
    let written = written
        .ok_or_else(|| ApiError::invalid("restate", "must be a day that a file of the bank stated"))?;
    if !is_taken {
        return Ok(Record(WrittenFile::new(&written, None)).at(head));
    }
    // A file is accepted once, so it needs no idempotency key.
    let call = Call { key: None, ..gateway.call(&body) };
    let bytes = written.text.clone().into_bytes();
    let file = (bytes, written.format.into(), OtherAccounts::Refuse);
    let taken = app.engine.take_statement(platform, call, file).await?;
    Ok(Record(WrittenFile::new(&written, Some(&taken))).at(taken.position))
}
