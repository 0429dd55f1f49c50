//! Steps of a transaction, taken now and not when they are due.

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

/// Lets a transaction take its next step now.
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

/// Lets a transaction take all its steps now; it may end before it settles.
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
    // The first step uses up the request's key.
    let call = Call { key: None, ..call };
    while has_next(&done, id) {
        match next(&app, platform, &call, id).await? {
            Ok(next) => done = next,
            // It took the last one by itself.
            Err(_) => break,
        }
    }
    answer(&app, platform, id, &done).await
}

fn has_next(done: &Submitted, id: TransactionId) -> bool {
    done.transaction(id).is_some_and(|transaction| Step::after(transaction.status).is_some())
}

/// Takes the next step, whichever that is; answers the status at which there is none.
async fn next(
    app: &App,
    platform: &PlatformRecord,
    call: &Call,
    id: TransactionId,
) -> Result<Result<Submitted, Status>, ApiError> {
    loop {
        let status = render::status(app, platform, render::By::Platform, id).await?;
        // Where there is none the ledger says so, after it has looked at the request's key.
        let step = Step::after(status).unwrap_or(Step::Settle);
        let command = Advance { id, step, waits_for_bank: false, origin: Origin::simulated() };
        match app.engine.submit(call.clone(), command).await {
            Err(SubmitError::Refused(Refusal::Transaction(transaction::Refusal::NoNextStep(status)))) => {
                if Step::after(status).is_none() {
                    return Ok(Err(status));
                }
                // It was just due, and has taken that step by itself: the next one is another.
            }
            answered => return Ok(Ok(answered?)),
        }
    }
}
