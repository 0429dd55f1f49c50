//! Steps of a transaction, executed immediately instead of when they are due.

use actix_web::web;
use daybook_domain::transaction::advance::{Advance, Step};
use daybook_domain::transaction::{self, Status};
use daybook_domain::{Origin, Refusal, States, TransactionId};
use daybook_engine::access::PlatformRecord;
use daybook_engine::{Call, SubmitError, Submitted};

use super::answer::{Answer, answer};
use crate::app::App;
use crate::auth::{Sandbox, dry_run};
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::path::InPath;
use crate::render;
use crate::wire::transaction::Transaction;

/// Executes the next step of a transaction immediately. Sandbox only.
#[utoipa::path(
    post, path = "/v3.1/sandbox/trans/{trans_id}/process", operation_id = "sandbox.process",
    params(DryRun),
    responses((status = 200, body = Record<Transaction>)),
)]
pub async fn process(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    path: InPath<TransactionId>,
    body: Body,
) -> Answer {
    let id = path.ids()?;
    let done = next(&app, &gateway.platform, &gateway.call(&body), id).await?;
    let done = done.map_err(transaction::Refusal::NoNextStep)?;
    answer(&app, &gateway.platform, id, &done).await
}

/// Executes all remaining steps of a transaction immediately. Sandbox only. The transaction may end before it settles,
/// for example if it is canceled.
#[utoipa::path(
    post, path = "/v3.1/sandbox/trans/{trans_id}/settle", operation_id = "sandbox.settle",
    responses((status = 200, body = Record<Transaction>)),
)]
pub async fn settle(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    path: InPath<TransactionId>,
    body: Body,
) -> Answer {
    dry_run::refuse(gateway.dry_run, "several steps at once; process takes one")?;
    let platform = &gateway.platform;
    let id = path.ids()?;
    let call = gateway.call(&body);
    let mut done = next(&app, platform, &call, id).await?.map_err(transaction::Refusal::NoNextStep)?;
    // The first step uses the idempotency key of the request.
    let call = Call { key: None, ..call };
    while has_next(&done, id) {
        match next(&app, platform, &call, id).await? {
            Ok(next) => done = next,
            // The background process executed the last step in the meantime.
            Err(_) => break,
        }
    }
    answer(&app, platform, id, &done).await
}

fn has_next(done: &Submitted, id: TransactionId) -> bool {
    done.transaction(id).is_some_and(|transaction| Step::after(transaction.status).is_some())
}

/// Executes the next step of the transaction; returns its status if no step remains.
async fn next(
    app: &App,
    platform: &PlatformRecord,
    call: &Call,
    id: TransactionId,
) -> Result<Result<Submitted, Status>, ApiError> {
    loop {
        let status = render::status(app, platform, render::Viewer::Platform, id).await?;
        // If no step remains, the engine refuses the command, after it has checked the idempotency key.
        let step = Step::after(status).unwrap_or(Step::Settle);
        let command = Advance { id, step, waits_for_bank: false, origin: Origin::simulated() };
        match app.engine.submit(call.clone(), command).await {
            Err(SubmitError::Refused(Refusal::Transaction(transaction::Refusal::NoNextStep(status)))) => {
                if Step::after(status).is_none() {
                    return Ok(Err(status));
                }
                // The background process executed this step in the meantime; the loop takes the next one.
            }
            answered => return Ok(Ok(answered?)),
        }
    }
}
