//! Numbers of accounts at the bank: set one, and find the platform that has one.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use daybook_domain::custody::AccountNumber;
use daybook_domain::custody::account::SetAccount;
use daybook_domain::{Actor, CustodyId, Key, OperatorId, Origin, States};
use daybook_log::Shard;

use super::read::Refused;
use crate::access::PlatformRecord;
use crate::batch::{Call, Submitted};
use crate::engine::Engine;
use crate::ops::OpsError;

/// Number of platforms whose accounts are read at once.
const PLATFORMS_PER_QUERY: usize = 256;

impl Engine {
    /// Sets the number of a platform's account at the bank, which an operator knows.
    ///
    /// # Errors
    ///
    /// [`OpsError`] if the platform has no account at a bank, or the log is unavailable.
    pub async fn set_bank_account(
        &self,
        platform: &PlatformRecord,
        operator: OperatorId,
        account: AccountNumber,
    ) -> Result<Submitted, OpsError> {
        let custody = self.custody(platform.shard, platform.id).await?;
        let set = SetAccount { custody, account, origin: Origin::of(Actor::Operator(operator)) };
        Ok(self.submit(Call::by_operator(operator, platform.shard), set).await?)
    }

    /// Returns the platform of each account. Two platforms with one number are told apart by nothing, so such a number
    /// is refused.
    pub(super) async fn platforms_of_accounts(
        &self,
        accounts: &[String],
    ) -> Result<Vec<Arc<PlatformRecord>>, OpsError> {
        let mut owners: HashMap<&str, Vec<Arc<PlatformRecord>>> =
            accounts.iter().map(|account| (account.as_str(), vec![])).collect();
        for (platform, account) in self.bank_accounts().await? {
            if let Some(found) = owners.get_mut(account.as_str()) {
                found.push(platform);
            }
        }
        let owned = |account: &&String| owners.get(account.as_str()).is_some_and(|found| !found.is_empty());
        let unknown: Vec<_> = accounts.iter().filter(|account| !owned(account)).cloned().collect();
        if !unknown.is_empty() {
            return Err(Refused::Nobody(unknown).into());
        }
        let only = |account: &String| match owners.get(account.as_str()).map(Vec::as_slice) {
            Some([only]) => Ok(Arc::clone(only)),
            _ => Err(Refused::Ambiguous(account.clone()).into()),
        };
        accounts.iter().map(only).collect()
    }

    /// Returns every platform with the number of its account at the bank: its own, or else that of the service.
    async fn bank_accounts(&self) -> Result<Vec<(Arc<PlatformRecord>, String)>, OpsError> {
        let mut by_shard: BTreeMap<Shard, Vec<Arc<PlatformRecord>>> = BTreeMap::new();
        for platform in self.access().platforms().await? {
            by_shard.entry(platform.shard).or_default().push(platform);
        }
        let mut accounts = vec![];
        for (shard, platforms) in by_shard {
            for some in platforms.chunks(PLATFORMS_PER_QUERY) {
                self.bank_accounts_of(shard, some, &mut accounts).await?;
            }
        }
        Ok(accounts)
    }

    async fn bank_accounts_of(
        &self,
        shard: Shard,
        platforms: &[Arc<PlatformRecord>],
        accounts: &mut Vec<(Arc<PlatformRecord>, String)>,
    ) -> Result<(), OpsError> {
        let reads = self.reads().aggregates();
        let keys: Vec<Key> = platforms.iter().map(|platform| platform.id.into()).collect();
        let states = reads.records(shard, &keys).await?;
        let custodies = platforms.iter().filter_map(|platform| {
            let bank = states.platform(platform.id)?.bank;
            Some((platform, CustodyId::of(platform.id, bank)))
        });
        let custodies: Vec<_> = custodies.collect();
        let keys: Vec<Key> = custodies.iter().map(|(_, custody)| (*custody).into()).collect();
        let found = reads.records(shard, &keys).await?;
        for (platform, custody) in custodies {
            let own = found.custody(custody).and_then(|custody| custody.account.clone());
            let account = match own {
                Some(own) => own.into(),
                None => self.bank(platform.id).await?.originator(&platform.name).account_num,
            };
            accounts.push((Arc::clone(platform), account));
        }
        Ok(())
    }
}
