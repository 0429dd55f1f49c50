//! `POST /v3.1/ops/platforms/{platform}/statements`

use actix_web::web;
use daybook_engine::ops::OpsError;
use daybook_engine::{Call, SubmitError};

use crate::app::App;
use crate::auth::Operator;
use crate::body::{Body, StatementFile, StatementUpload, Upload};
use crate::description::params::DryRun;
use crate::envelope::{Record, WithPosition};
use crate::error::{ApiError, Chain};
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
    let StatementFile { bytes, format, other_accounts, restate, held } =
        upload.statement(format.values()?)?;
    // A file is accepted once, so it needs no idempotency key.
    let call = Call { key: None, ..operator.call(&platform, &Body::default()) };
    // A large file may take longer than a caller waits. It is taken all the same, and holds its memory until then.
    let engine = app.engine.clone();
    let taking = tokio::spawn(async move {
        let file = (bytes, format, other_accounts);
        let taken = match restate {
            None => engine.take_statement(&platform, call, file).await.map(|taken| (taken, None)),
            Some(reason) => {
                let restated = engine.restate(&platform, (call, operator.id), file, reason).await;
                restated.map(|restated| (restated.file, restated.operation))
            }
        };
        drop(held);
        if let Err(error) = &taken {
            // The caller may not wait for the answer any longer.
            tracing::info!(error = %Chain(error), "a file of the bank was not taken");
        }
        taken
    });
    let (taken, operation) = taking.await.map_err(|_| OpsError::Submit(SubmitError::Failed))??;
    Ok(Record(statement::file(&taken, operation)).at(taken.position))
}
