//! `daybook ops queued`: transactions that are held back.

use daybook_api::wire::ops::queued;
use daybook_domain::{Key, States, TransactionId};

use super::listing::{Listing, QUEUED};
use super::{Work, at_desk, pages};
use crate::config::Desk;
use crate::error::Error;

/// Prints them with the causes.
pub(super) async fn queued(desk: &Desk) -> Result<(), Error> {
    at_desk(desk, async |Work { engine, platform, .. }| {
        let (reads, shard) = (engine.reads(), platform.shard);
        let mut listing = Listing::of(desk, QUEUED);
        let show = async |ids: Vec<TransactionId>| {
            let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
            let found = reads.aggregates().records(shard, &keys).await?;
            let known = ids.iter().filter_map(|id| Some((*id, found.transaction(*id)?)));
            known
                .map(|(id, transaction)| queued::render(id, transaction))
                .try_for_each(|record| listing.add(&record))
        };
        pages(async |page| reads.lists().queued(shard, platform.id, page).await, show).await?;
        listing.end()
    })
    .await
}
