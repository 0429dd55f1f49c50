//! Batches of payment files: a bank may state each batch of a file as one line.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use daybook_domain::matching::Item;
use daybook_domain::posting::Rail;
use daybook_domain::{CustodyId, FileId};

use crate::access::PlatformRecord;
use crate::engine::Engine;
use crate::ops::OpsError;
use crate::process::DeliveryError;
use crate::rails::ach;

/// Numbers of batches by the trace of an entry, for each file that was read.
#[derive(Default)]
pub(in crate::statements) struct Batches(HashMap<FileId, HashMap<String, u32>>);

impl Batches {
    /// Sets the batches of items. Only the files of several items are read: one item is no batch of several lines.
    pub(super) async fn set(
        &mut self,
        engine: &Engine,
        of: (&PlatformRecord, CustodyId),
        items: &mut [Item],
    ) -> Result<(), OpsError> {
        let mut counts: HashMap<FileId, usize> = HashMap::new();
        for file in items.iter().filter_map(|item| item.file) {
            *counts.entry(file).or_default() += 1;
        }
        for (file, _) in counts.into_iter().filter(|(_, count)| *count > 1) {
            if let Entry::Vacant(unread) = self.0.entry(file) {
                unread.insert(read(engine, of, file).await?);
            }
        }
        for item in items {
            let of_file = item.file.and_then(|file| self.0.get(&file));
            item.batch = of_file.and_then(|of| item.names.iter().find_map(|name| of.get(name))).copied();
        }
        Ok(())
    }
}

/// Numbers of the batches in a file, which is rendered again: they follow from accounts and permissions of its entries,
/// which no event repeats. Files of other rails have no batches.
async fn read(
    engine: &Engine,
    (platform, custody): (&PlatformRecord, CustodyId),
    file: FileId,
) -> Result<HashMap<String, u32>, OpsError> {
    match Box::pin(engine.file(platform.shard, platform.id, custody, file)).await {
        Ok(delivery) if delivery.rail == Rail::Ach => Ok(ach::batches(&delivery.text)),
        // A file that cannot be written any more has no batches that a bank could state.
        Ok(_) | Err(DeliveryError::Unknown | DeliveryError::Unfit(_)) => Ok(HashMap::new()),
        Err(DeliveryError::Reads(error)) => Err(error.into()),
        Err(DeliveryError::Access(error)) => Err(error.into()),
        Err(DeliveryError::Vault(error)) => Err(error.into()),
        Err(DeliveryError::Seal(error)) => Err(error.into()),
    }
}
