//! `POST /v3.1/ops/platforms/{platform}/files/returns`

use actix_web::web;

use crate::app::App;
use crate::auth::{Operator, dry_run};
use crate::body::BankFile;
use crate::body::Upload;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::path::{InPath, PlatformName};
use crate::wire::ops::returned::{self, Returns};

/// Imports a bank's file of returns, and reports the outcome of each entry. Importing the same file again changes
/// nothing.
///
/// A notification of change corrects the node of the entry that it answers, so that the next file has the right account.
/// A contested return is recorded with its transaction, and moves no money.
/// Counts, hashes and totals of the whole file are checked first. Any other entry, or one that cannot be interpreted, does
/// not block the others; `needs_person` lists the entries that need an operator.
#[utoipa::path(
    post, path = "/v3.1/ops/platforms/{platform}/files/returns", operation_id = "ops.files.returns",
    request_body(content((BankFile = "application/json"), (String = "text/plain"), (String = "text/csv"))),
    responses((status = 200, body = Record<Returns>)),
)]
pub async fn returns(
    app: web::Data<App>,
    operator: Operator,
    path: InPath<PlatformName>,
    upload: Upload,
) -> Result<Record<Returns>, ApiError> {
    dry_run::refuse(operator.dry_run, "a file of returns, because each entry is a separate step")?;
    let platform = path.ids()?.find(&app).await?;
    let taken = app.engine.take_returns(&platform, operator.id, &upload.text()?).await?;
    Ok(Record(returned::render_all(&taken)))
}
