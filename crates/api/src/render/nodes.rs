//! Records of nodes, for one and for a list.

use daybook_domain::id::BoxId;
use daybook_domain::{AccountId, Currency, Key, NodeId, States, UserId, node};
use daybook_engine::NodeDetails;
use daybook_engine::access::PlatformRecord;

use super::{Opener, View, account_id};
use crate::app::App;
use crate::error::ApiError;
use crate::wire;

/// Returns the records of the nodes among `ids` that belong to the platform and, if given, to `owner`, in the same
/// order.
pub(crate) async fn nodes(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    owner: Option<UserId>,
    ids: &[NodeId],
) -> Result<Vec<wire::node::Node>, ApiError> {
    let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
    let accounts: Vec<_> = ids.iter().map(|id| account_id(*id)).collect();
    let with_owner: Vec<Key> = keys.iter().copied().chain(owner.map(Key::from)).collect();
    let (mut found, timelines, balances) = futures::try_join!(
        view.records(app, platform, &with_owner),
        view.timelines(app, platform, &keys),
        view.accounts(app, platform, &accounts)
    )?;
    let is_asked =
        |node: &node::Node| node.platform == platform.id && owner.is_none_or(|owner| node.user == owner);
    let asked = ids.iter().filter_map(|id| Some((*id, found.node(*id).filter(|node| is_asked(node))?.user)));
    let asked: Vec<(NodeId, UserId)> = asked.collect();
    let owners = || asked.iter().map(|(_, owner)| *owner);
    if owner.is_none() {
        let unknown: Vec<Key> = owners().map(Key::from).collect();
        found = found.with(view.records(app, platform, &unknown).await?);
    }
    let opener = Opener::new(app, platform, &found, owners()).await?;
    let record = |(id, _): &(NodeId, UserId)| {
        let timeline = timelines.get(&Key::from(*id)).map(|events| events.as_slice()).unwrap_or_default();
        opener.node(*id, balances.get(&account_id(*id)), timeline)
    };
    asked.iter().map(record).collect()
}

/// Returns the account in `currency` behind a held node of `user`.
pub(crate) async fn account(
    app: &App,
    platform: &PlatformRecord,
    user: UserId,
    id: NodeId,
    currency: Currency,
) -> Result<AccountId, ApiError> {
    let found = app.reads.aggregates().records(platform.shard, &[id.into()]).await?;
    let node = found.node(id).filter(|node| node.platform == platform.id && node.user == user);
    let is_held = node.ok_or(node::Refusal::Unknown)?.kind.is_held();
    if is_held { Ok(AccountId::of(id, currency)) } else { Err(node::Refusal::NotHeld.into()) }
}

/// Returns the details of a node of `user`, and the id of the box that contains them.
pub(crate) async fn details(
    app: &App,
    platform: &PlatformRecord,
    user: UserId,
    id: NodeId,
) -> Result<(Option<BoxId>, NodeDetails), ApiError> {
    let found = app.engine.reads().aggregates().records(platform.shard, &[id.into()]).await?;
    let node = found.node(id).filter(|node| node.platform == platform.id && node.user == user);
    let sealed = node.ok_or(ApiError::NotFound)?.details.as_ref();
    let opener = Opener::new(app, platform, &found, [user]).await?;
    Ok((sealed.map(|sealed| sealed.id), NodeDetails::clone(&*opener.details(id)?)))
}

/// Returns the first legal name of a user of `platform`, if it has one.
pub(crate) async fn legal_name(
    app: &App,
    platform: &PlatformRecord,
    user: UserId,
) -> Result<Option<String>, ApiError> {
    let found = app.engine.reads().aggregates().records(platform.shard, &[user.into()]).await?;
    let opener = Opener::new(app, platform, &found, [user]).await?;
    Ok(opener.profile(user)?.legal_names.first().cloned())
}

/// Returns the owner of the node if it belongs to `platform`.
pub(crate) async fn owner(app: &App, platform: &PlatformRecord, id: NodeId) -> Result<UserId, ApiError> {
    let found = app.engine.reads().aggregates().records(platform.shard, &[id.into()]).await?;
    let node = found.node(id).filter(|node| node.platform == platform.id);
    node.map(|node| node.user).ok_or(ApiError::NotFound)
}

/// Checks that `user` owns the node; answers 404 otherwise.
pub(crate) async fn own_node(
    app: &App,
    platform: &PlatformRecord,
    user: UserId,
    id: NodeId,
) -> Result<(), ApiError> {
    if owner(app, platform, id).await? == user { Ok(()) } else { Err(ApiError::NotFound) }
}
