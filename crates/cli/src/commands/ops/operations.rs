//! `daybook ops operations`, `operate`, `approve` and `decline`.

use actix_web::web::Bytes;
use daybook_api::ApiError;
use daybook_api::body::Body;
use daybook_api::wire::ops::operate::{NewOperation, Operate};
use daybook_api::wire::ops::operation;
use daybook_api::wire::record::Client;
use daybook_domain::operation::review::Review;
use daybook_domain::roles::Right;
use daybook_domain::{Key, OperationId, States};
use daybook_engine::ops::right_of;

use super::listing::{Listing, OPERATIONS};
use super::{OperatorSession, as_operator, pages};
use crate::config::OperatorOptions;
use crate::error::Error;

/// Prints the operations.
pub(super) async fn list(desk: &OperatorOptions, waiting: bool) -> Result<(), Error> {
    as_operator(desk, Right::Read, async |work| {
        let (reads, shard) = (work.engine.reads(), work.platform.shard);
        let list = async |page| reads.lists().operations(shard, work.platform.id, waiting, page).await;
        let mut listing = Listing::of(desk, OPERATIONS);
        pages(list, async |ids| show(&work, &ids, &mut listing).await).await?;
        listing.end()
    })
    .await
}

/// Carries out an act, or requests approval for it.
pub(super) async fn operate(desk: &OperatorOptions, act: &str, reason: &str) -> Result<(), Error> {
    let NewOperation { act, reason } = parse(act, reason).map_err(|error| Error::Usage(error.to_string()))?;
    as_operator(desk, right_of(&act), async |work| {
        let (call, by) = (work.call(), work.operator.id);
        let (id, _) = work.engine.operate(&work.platform, call, by, act, reason).await?;
        show_one(desk, &work, id).await
    })
    .await
}

/// Approves or declines an operation.
pub(super) async fn review(desk: &OperatorOptions, id: &str, approves: bool) -> Result<(), Error> {
    let id: OperationId = id.parse().map_err(|_| Error::Usage("this is no id of an operation".into()))?;
    as_operator(desk, Right::Review, async |work| {
        let review = Review::new(id, work.operator.id, approves);
        work.engine.review(&work.platform, work.call(), review).await?;
        show_one(desk, &work, id).await
    })
    .await
}

/// Parses an act as the body of the API's call, so that both accept the same.
pub(super) fn parse(act: &str, reason: &str) -> Result<NewOperation, ApiError> {
    let act: &serde_json::value::RawValue =
        serde_json::from_str(act).map_err(|_| ApiError::invalid("act", "must be JSON"))?;
    let body = serde_json::json!({"act": act, "reason": reason}).to_string();
    Body::from(Bytes::from(body)).json::<Operate>()?.parse()
}

async fn show_one(desk: &OperatorOptions, work: &OperatorSession, id: OperationId) -> Result<(), Error> {
    let mut listing = Listing::of(desk, OPERATIONS);
    show(work, &[id], &mut listing).await?;
    listing.end()
}

async fn show(work: &OperatorSession, ids: &[OperationId], listing: &mut Listing) -> Result<(), Error> {
    let OperatorSession { engine, platform, .. } = work;
    let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
    let found = engine.reads().aggregates().records(platform.shard, &keys).await?;
    let known: Vec<_> = ids.iter().filter_map(|id| Some((*id, found.operation(*id)?))).collect();
    let reasons = engine.reasons(platform, known.iter().map(|(_, operation)| *operation)).await?;
    for ((id, state), reason) in known.into_iter().zip(reasons) {
        let client = Client { id: platform.client_id.clone(), name: platform.name.clone() };
        listing.add(&operation::render(id, state, reason, client, ""))?;
    }
    Ok(())
}
