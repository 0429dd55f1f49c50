//! `daybook ops queued` and `returned`: transactions that need an operator's attention.

use daybook_api::wire::ops::{queued, returned_transaction};
use daybook_domain::roles::Right;
use daybook_domain::transaction::{Status, Transaction};
use daybook_domain::{Key, States, TransactionId};
use daybook_engine::access::PlatformRecord;
use daybook_projector::{Listed, Lists, Page};
use serde::Serialize;

use super::listing::{Kind, Listing, QUEUED, RETURNED};
use super::{OperatorSession, as_operator, pages};
use crate::config::OperatorOptions;
use crate::error::Error;

/// Prints the queued transactions with their causes.
pub(super) async fn queued(desk: &OperatorOptions) -> Result<(), Error> {
    let list = async |lists: &Lists, of: &PlatformRecord, page| lists.queued(of.shard, of.id, page).await;
    print(desk, QUEUED, list, |id, transaction| Some(queued::render(id, transaction))).await
}

/// Prints the returned transactions with their codes.
pub(super) async fn returned(desk: &OperatorOptions) -> Result<(), Error> {
    let list = async |lists: &Lists, of: &PlatformRecord, page| {
        lists.transactions_of_platform(of.shard, of.id, Some(Status::Returned), page).await
    };
    print(desk, RETURNED, list, returned_transaction::render).await
}

async fn print<R: Serialize>(
    desk: &OperatorOptions,
    kind: Kind,
    list: impl AsyncFn(&Lists, &PlatformRecord, Page) -> Result<Listed<TransactionId>, daybook_projector::Error>,
    render: impl Fn(TransactionId, &Transaction) -> Option<R>,
) -> Result<(), Error> {
    as_operator(desk, Right::Read, async |OperatorSession { engine, platform, .. }| {
        let (reads, shard) = (engine.reads(), platform.shard);
        let mut listing = Listing::of(desk, kind);
        let show = async |ids: Vec<TransactionId>| {
            let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
            let found = reads.aggregates().records(shard, &keys).await?;
            let records = ids.iter().filter_map(|id| render(*id, found.transaction(*id)?));
            records.into_iter().try_for_each(|record| listing.add(&record))
        };
        let lists = reads.lists();
        pages(async |page| list(lists, &platform, page).await, show).await?;
        listing.end()
    })
    .await
}
