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

/// Takes in a file of returns, and answers what became of each entry. The same file again changes nothing.
///
/// Counts, hashes and totals are checked of all of it. An entry that is no return, or that nobody understands, keeps none
/// of the others out; `needs_person` lists those about which nothing was done.
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
    dry_run::refuse(operator.dry_run, "a file of returns, of which each entry is a step of its own")?;
    let platform = path.ids()?.find(&app).await?;
    let taken = app.engine.take_returns(&platform, operator.id, &upload.text()?).await?;
    Ok(Record(returned::render_all(&taken)))
}
