//! `POST /v3.1/users/{user_id}/nodes/{node_id}/batch-trans`

use actix_web::HttpRequest;
use actix_web::web::{self, Bytes};
use daybook_domain::{Command, NodeId, TransactionId};
use daybook_engine::{Call, Sealer, SubmitError, TransactionDetails};
use serde_json::value::RawValue;

use super::create::{command, created};
use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::{List, ReadPosition, WithPosition};
use crate::error::ApiError;
use crate::path::InPath;
use crate::render;
use crate::wire::transaction::{CreateTransaction, CreateTransactions, Idempotency, Outcome};

/// Route that creates one transaction. An idempotency key inside a batch counts as if it had been sent there.
const SINGLE_CREATE_ROUTE: &str = "/v3.1/users/{user_id}/nodes/{node_id}/trans";

/// Creates several transactions from a node of the user in one commit. They are decided one after the other, and each
/// has its own outcome.
#[utoipa::path(
    post, path = "/v3.1/users/{user_id}/nodes/{node_id}/batch-trans", operation_id = "trans.create_batch",
    params(DryRun),
    request_body = CreateTransactions,
    responses((status = 200, body = List<Outcome>)),
)]
pub async fn create_batch(
    app: web::Data<App>,
    caller: Caller<scopes::TransPost>,
    path: InPath<NodeId>,
    request: HttpRequest,
    body: Body,
) -> Result<WithPosition<List<Outcome>>, ApiError> {
    let from = path.ids()?;
    let entries = body.json::<CreateTransactions>()?.parse()?;
    render::own_node(&app, &caller.platform, caller.user, from).await?;
    let sealer = app.sealer(&caller.platform, caller.user).await?;
    let batch = Batch { app: &app, caller: &caller, request: &request, sealer, from };
    let mut asked = Vec::with_capacity(entries.len());
    let begun: Vec<Result<Begun, ApiError>> =
        entries.iter().map(|entry| batch.ask(entry, &mut asked)).collect();
    let mut done = app.engine.submit_together(caller.call(&body).key, asked).await?.into_iter();
    let mut records = Vec::with_capacity(begun.len());
    let mut last = None;
    for begun in begun {
        records.push(match begun {
            Err(malformed) => Outcome::Refused(malformed),
            Ok((id, details)) => match done.next().unwrap_or(Err(SubmitError::Failed)) {
                Err(error) => Outcome::Refused(error.into()),
                Ok(done) => {
                    let record = created(&app, &caller, &done, id, &details).await?;
                    last = Some(done);
                    Outcome::Created(Box::new(record))
                }
            },
        });
    }
    let place = last.as_ref().map_or_else(ReadPosition::default, ReadPosition::from);
    Ok(List::of_all(records).at(place))
}

/// Id and details of a transaction that is to be created.
type Begun = (TransactionId, TransactionDetails);

/// Values that all entries of the batch share.
struct Batch<'a> {
    app: &'a App,
    caller: &'a Caller<scopes::TransPost>,
    request: &'a HttpRequest,
    sealer: Sealer,
    from: NodeId,
}

impl Batch<'_> {
    /// Parses one entry as if it were the body of a call of its own, and adds its command to `asked`.
    fn ask(&self, entry: &RawValue, asked: &mut Vec<(Call, Command)>) -> Result<Begun, ApiError> {
        let body = Body::from(Bytes::copy_from_slice(entry.get().as_bytes()));
        let new = body.json::<CreateTransaction>()?.parse()?;
        let key = body.json::<Idempotency>()?.key()?;
        let id = TransactionId::from_u128(self.app.new_id());
        let command = command(self.app, self.caller, &self.sealer, self.from, id, &new)?;
        asked.push((
            self.caller.call_among(self.request, SINGLE_CREATE_ROUTE, key.as_deref(), &body),
            command,
        ));
        Ok((id, new.details))
    }
}
