//! `POST /v3.1/ops/platforms/{platform}/files/returns`

use actix_web::web;

use crate::app::App;
use crate::auth::{Operator, dry_run};
use crate::body::BankFile;
use crate::body::Upload;
use crate::envelope::{Collection, List};
use crate::error::ApiError;
use crate::path::{InPath, PlatformName};
use crate::wire::ops::returned::{self, Returned};

/// Takes in a file of returns, and answers what became of each entry. The same file again changes nothing.
#[utoipa::path(
    post, path = "/v3.1/ops/platforms/{platform}/files/returns", operation_id = "ops.files.returns",
    request_body(content((BankFile = "application/json"), (String = "text/plain"), (String = "text/csv"))),
    responses((status = 200, body = List<Returned>)),
    security(("X-SP-OPERATOR" = [])),
)]
pub async fn returns(
    app: web::Data<App>,
    operator: Operator,
    path: InPath<PlatformName>,
    upload: Upload,
) -> Result<List<Returned>, ApiError> {
    dry_run::refuse(operator.dry_run, "a file of returns, of which each entry is a step of its own")?;
    let platform = path.ids()?.find(&app).await?;
    let taken = app.engine.take_returns(&platform, operator.id, &upload.text()?).await?;
    let records: Vec<_> = taken.iter().map(returned::render).collect();
    Ok(List::of_all(Collection::Returns, records))
}
