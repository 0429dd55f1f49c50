//! The lists of the API: the records of a platform, a user or a node, optionally with a filter by one value.

use daybook_domain::node::NodeKind;
use daybook_domain::subscription::Subscription;
use daybook_domain::transaction::Status;
use daybook_domain::{
    CustodyId, NodeId, PlatformId, StatementId, States, SubnetId, SubscriptionId, TransactionId, UserId,
};
use daybook_log::Shard;
use uuid::Uuid;

use super::Lists;
use crate::error::Error;
use crate::models::members::{self, List, ListKind};
use crate::models::{nodes, parties, subscriptions, transactions};
use crate::queries::page::{Listed, Page};
use crate::store::sql::Params;

impl Lists {
    /// Returns the users of a platform, without those that have left.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn users_of_platform(
        &self,
        shard: Shard,
        platform: PlatformId,
        page: Page,
    ) -> Result<Listed<UserId>, Error> {
        let list = List { of: platform.as_u128(), kind: ListKind::UsersOfPlatform };
        self.members(shard, list, page, UserId::from_u128).await
    }

    /// Returns the active nodes of a platform, or those of one type.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn nodes_of_platform(
        &self,
        shard: Shard,
        platform: PlatformId,
        kind: Option<NodeKind>,
        page: Page,
    ) -> Result<Listed<NodeId>, Error> {
        let Some(kind) = kind else {
            let list = List { of: platform.as_u128(), kind: ListKind::NodesOfPlatform };
            return self.members(shard, list, page, NodeId::from_u128).await;
        };
        let platform = Uuid::from(platform);
        let params: &Params<'_> = &[&shard, &platform, &kind.as_str(), &page.offset(), &page.limit()];
        self.list(shard, nodes::LIST_OF_KIND, params, NodeId::from_u128).await
    }

    /// Returns the active nodes of a user, or those of one type.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn nodes_of_user(
        &self,
        shard: Shard,
        user: UserId,
        kind: Option<NodeKind>,
        page: Page,
    ) -> Result<Listed<NodeId>, Error> {
        let user = Uuid::from(user);
        let kind = kind.map(NodeKind::as_str);
        let params: &Params<'_> = &[&shard, &user, &kind, &page.offset(), &page.limit()];
        self.list(shard, nodes::LIST, params, NodeId::from_u128).await
    }

    /// Returns the transactions of a platform, or those in one status.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn transactions_of_platform(
        &self,
        shard: Shard,
        platform: PlatformId,
        status: Option<Status>,
        page: Page,
    ) -> Result<Listed<TransactionId>, Error> {
        let platform = Uuid::from(platform);
        let Some(status) = status else {
            let params: &Params<'_> = &[&shard, &platform, &page.offset(), &page.limit()];
            return self.list(shard, parties::OF_PLATFORM, params, TransactionId::from_u128).await;
        };
        let params: &Params<'_> = &[&shard, &platform, &status.as_str(), &page.offset(), &page.limit()];
        self.list(shard, transactions::list_in(status), params, TransactionId::from_u128).await
    }

    /// Returns the transactions in which a user sends or receives, each of them once; with `status`, those in this
    /// status.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn transactions_of_user(
        &self,
        shard: Shard,
        user: UserId,
        status: Option<Status>,
        page: Page,
    ) -> Result<Listed<TransactionId>, Error> {
        let sql = if status.is_some() { parties::OF_USER_IN_STATUS } else { parties::OF_USER };
        self.transactions_of(shard, sql, user.as_u128(), status, page).await
    }

    /// Returns the transactions in which a node sends or receives; with `status`, those in this status.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn transactions_of_node(
        &self,
        shard: Shard,
        node: NodeId,
        status: Option<Status>,
        page: Page,
    ) -> Result<Listed<TransactionId>, Error> {
        let sql = if status.is_some() { parties::OF_NODE_IN_STATUS } else { parties::OF_NODE };
        self.transactions_of(shard, sql, node.as_u128(), status, page).await
    }

    /// Returns the subnets of a node.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn subnets_of_node(
        &self,
        shard: Shard,
        node: NodeId,
        page: Page,
    ) -> Result<Listed<SubnetId>, Error> {
        let list = List { of: node.as_u128(), kind: ListKind::SubnetsOfNode };
        self.members(shard, list, page, SubnetId::from_u128).await
    }

    /// Returns the subscriptions of a platform.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn subscriptions_of_platform(
        &self,
        shard: Shard,
        platform: PlatformId,
        page: Page,
    ) -> Result<Listed<SubscriptionId>, Error> {
        let list = List { of: platform.as_u128(), kind: ListKind::SubscriptionsOfPlatform };
        self.members(shard, list, page, SubscriptionId::from_u128).await
    }

    /// Returns the statements of a custody.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn statements_of_custody(
        &self,
        shard: Shard,
        custody: CustodyId,
        page: Page,
    ) -> Result<Listed<StatementId>, Error> {
        let list = List { of: custody.as_u128(), kind: ListKind::StatementsOfCustody };
        self.members(shard, list, page, StatementId::from_u128).await
    }

    /// Returns the current state of every subscription of a shard, of all platforms.
    ///
    /// # Errors
    ///
    /// As [`crate::Aggregates::records`].
    pub async fn subscriptions(&self, shard: Shard) -> Result<Vec<(SubscriptionId, Subscription)>, Error> {
        let rows = self.store.ask(shard, subscriptions::IDS, &[&shard]).await?;
        let id = |row: &tokio_postgres::Row| Ok(SubscriptionId::from(row.try_get::<_, Uuid>(0)?));
        let ids: Vec<SubscriptionId> = rows.iter().map(id).collect::<Result<_, Error>>()?;
        if ids.is_empty() {
            return Ok(vec![]);
        }
        let keys: Vec<_> = ids.iter().map(|id| (*id).into()).collect();
        let found = self.aggregates.records(shard, &keys).await?;
        let known = |id: SubscriptionId| Some((id, found.subscription(id)?.clone()));
        Ok(ids.into_iter().filter_map(known).collect())
    }

    async fn transactions_of(
        &self,
        shard: Shard,
        sql: &str,
        of: u128,
        status: Option<Status>,
        page: Page,
    ) -> Result<Listed<TransactionId>, Error> {
        let (of, status) = (Uuid::from_u128(of), status.map(Status::as_str));
        let params: &Params<'_> = &[&shard, &of, &page.offset(), &page.limit(), &status];
        let params = if status.is_some() { params } else { &params[..4] };
        self.list(shard, sql, params, TransactionId::from_u128).await
    }

    /// Returns a page of the present members of a list.
    async fn members<T>(
        &self,
        shard: Shard,
        list: List,
        page: Page,
        id: impl Fn(u128) -> T,
    ) -> Result<Listed<T>, Error> {
        let (of, kind) = (Uuid::from_u128(list.of), list.kind.code());
        let params: &Params<'_> = &[&shard, &of, &kind, &page.offset(), &page.limit()];
        self.list(shard, members::LIST, params, id).await
    }
}
