//! `POST /v3.1/users/{user_id}/nodes/{node_id}/trans`

use actix_web::web;
use daybook_domain::attachment::NewAttachment;
use daybook_domain::{AttachmentId, Command, NodeId, TransactionId, transaction};
use daybook_engine::{FileContents, Sealer, Submitted, TransactionDetails};
use daybook_vault::Class;

use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::path::InPath;
use crate::render;
use crate::wire::transaction::{CreateTransaction, NewTransaction, Transaction};

/// Creates a transaction from a node of the user. The answer shows its first status, `CREATED`; screening may cancel or
/// queue it afterwards.
#[utoipa::path(
    post, path = "/v3.1/users/{user_id}/nodes/{node_id}/trans", operation_id = "trans.create",
    params(DryRun),
    request_body = CreateTransaction,
    responses((status = 200, body = Record<Transaction>)),
)]
pub async fn create(
    app: web::Data<App>,
    caller: Caller<scopes::TransPost>,
    path: InPath<NodeId>,
    body: Body,
) -> Result<WithPosition<Record<Transaction>>, ApiError> {
    let from = path.ids()?;
    let new = body.json::<CreateTransaction>()?.parse()?;
    let sealer = app.sealer(&caller.platform, caller.user).await?;
    let id = TransactionId::from_u128(app.new_id());
    let command = command(&app, &caller, &sealer, from, id, &new)?;
    let done = app.engine.submit(caller.call(&body), command).await?;
    Ok(Record(created(&app, &caller, &done, id, &new.details).await?).at(&done))
}

/// Returns the command that creates the transaction.
pub(super) fn command(
    app: &App,
    caller: &Caller<scopes::TransPost>,
    sealer: &Sealer,
    from: NodeId,
    id: TransactionId,
    new: &NewTransaction,
) -> Result<Command, ApiError> {
    let create = transaction::create::Create {
        id,
        platform: caller.platform.id,
        by: caller.user,
        from,
        to: new.to,
        to_kind: new.to_kind,
        amount: new.amount,
        fees: new.fees.clone(),
        in_days: new.in_days,
        pace_ms: app.engine.settings().pace_ms(),
        by_gateway: caller.by_gateway,
        attachments: seal(app, sealer, &new.attachments)?,
        details: sealer.seal(Class::Profile, &new.details)?,
    };
    Ok(Command::CreateTransaction(Box::new(create)))
}

/// Returns the record of the transaction after its first event; `details` are its unsealed details.
pub(super) async fn created(
    app: &App,
    caller: &Caller<scopes::TransPost>,
    done: &Submitted,
    id: TransactionId,
    details: &TransactionDetails,
) -> Result<Transaction, ApiError> {
    let created = done.events.get(..1).unwrap_or_default();
    render::made(app, &caller.platform, done, (id, details), created).await
}

fn seal(app: &App, sealer: &Sealer, attachments: &[FileContents]) -> Result<Vec<NewAttachment>, ApiError> {
    let attachment = |file| {
        let id = AttachmentId::from_u128(app.new_id());
        Ok(NewAttachment { id, contents: sealer.seal(Class::Document, file)? })
    };
    attachments.iter().map(attachment).collect()
}
