//! `POST /v3.1/ops/platforms/{platform}/statements`

use actix_web::web;
use daybook_engine::Call;

use crate::app::App;
use crate::auth::Operator;
use crate::body::{Body, StatementFile, StatementUpload, Upload};
use crate::description::params::DryRun;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::{InPath, PlatformName};
use crate::wire::ops::format::FileFormat;
use crate::wire::ops::statement::{self, File};

/// Accepts the statements in a file of the bank, and books their lines: small statements at once, others in the
/// background. The same file may be sent again; nothing happens then. A file in which the bank states days anew needs
/// `restate`, and the approval of another operator if the policy says so.
#[utoipa::path(
    post, path = "/v3.1/ops/platforms/{platform}/statements", operation_id = "ops.statements.create",
    params(DryRun, FileFormat),
    request_body(content(
        (StatementUpload = "application/json"), (String = "text/plain"), (String = "text/csv"),
        (String = "application/octet-stream"),
    )),
    responses((status = 200, body = Record<File>)),
)]
pub async fn create(
    app: web::Data<App>,
    operator: Operator,
    path: InPath<PlatformName>,
    format: InQuery<FileFormat>,
    upload: Upload,
) -> Result<WithPosition<Record<File>>, ApiError> {
    let platform = path.ids()?.find(&app).await?;
    let StatementFile { bytes, format, restate } = upload.statement(format.values()?)?;
    // A file is accepted once, so it needs no idempotency key.
    let call = Call { key: None, ..operator.call(&platform, &Body::default()) };
    let (taken, operation) = match restate {
        None => (app.engine.take_statement(&platform, call, bytes, format).await?, None),
        Some(reason) => {
            let by = (call, operator.id);
            let restated = app.engine.restate(&platform, by, (bytes, format), reason).await?;
            (restated.file, restated.operation)
        }
    };
    Ok(Record(statement::file(&taken, operation)).at(taken.position))
}
