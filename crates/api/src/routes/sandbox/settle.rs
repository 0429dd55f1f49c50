//! `POST /v3.1/sandbox/trans/{trans_id}/settle`

use actix_web::web;
use daybook_domain::transaction::Refusal;
use daybook_domain::transaction::advance::Step;
use daybook_domain::{States, TransactionId};
use daybook_engine::{Call, Submitted};

use super::answer::{Answer, answer};
use super::step;
use crate::app::App;
use crate::auth::{Sandbox, dry_run};
use crate::body::Body;
use crate::envelope::Record;
use crate::path::InPath;
use crate::wire::transaction::Transaction;

/// Lets a transaction take all its steps now; it may end before it settles.
#[utoipa::path(
    post, path = "/v3.1/sandbox/trans/{trans_id}/settle", operation_id = "sandbox.settle",
    responses((status = 200, body = Record<Transaction>)),
    security(("X-SP-GATEWAY" = [])),
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
    let mut done = step::next(&app, platform, &call, id).await?.map_err(Refusal::NoNextStep)?;
    // The first step uses up the request's key.
    let call = Call { key: None, ..call };
    while has_next(&done, id) {
        match step::next(&app, platform, &call, id).await? {
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
