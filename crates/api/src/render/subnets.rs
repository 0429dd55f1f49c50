//! Records of subnets, for one and for a list.

use daybook_domain::{Key, NodeId, States, SubnetId, UserId, subnet};
use daybook_engine::SubnetDetails;
use daybook_engine::access::PlatformRecord;
use daybook_engine::rails::bank::SandboxBank;
use daybook_projector::RecordedEvent;
use daybook_vault::Class;

use super::{Opener, View};
use crate::app::App;
use crate::error::ApiError;
use crate::wire;

/// Returns the records of the subnets among `ids` that belong to `user`'s `node`, in the same order.
pub(crate) async fn subnets(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    user: UserId,
    node: NodeId,
    ids: &[SubnetId],
) -> Result<Vec<wire::subnet::Subnet>, ApiError> {
    let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
    let (found, timelines) =
        futures::try_join!(view.records(app, platform, &keys), view.timelines(app, platform, &keys))?;
    let opener = Opener::new(app, platform, &found, [user]).await?;
    let is_theirs =
        |subnet: &subnet::Subnet| (subnet.platform, subnet.user, subnet.node) == (platform.id, user, node);
    let asked = ids.iter().filter(|id| found.subnet(**id).is_some_and(is_theirs));
    let record = |id: &SubnetId| {
        let events = timelines.get(&Key::from(*id)).map(|events| events.as_slice()).unwrap_or_default();
        opener.subnet(*id, &account_num(app, platform, events)?)
    };
    asked.map(record).collect()
}

/// Returns the record of a subnet of `platform`, for any owner.
pub(crate) async fn subnet(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    id: SubnetId,
) -> Result<wire::subnet::Subnet, ApiError> {
    let found = view.records(app, platform, &[id.into()]).await?;
    let (user, node) = found.subnet(id).map(|subnet| (subnet.user, subnet.node)).ok_or(ApiError::NotFound)?;
    subnets(app, platform, view, user, node, &[id]).await?.pop().ok_or(ApiError::NotFound)
}

/// Returns the details of a subnet of `user`.
pub(crate) async fn subnet_details(
    app: &App,
    platform: &PlatformRecord,
    user: UserId,
    id: SubnetId,
) -> Result<SubnetDetails, ApiError> {
    let found = app.engine.reads().aggregates().records(platform.shard, &[id.into()]).await?;
    let is_theirs = |subnet: &&subnet::Subnet| (subnet.platform, subnet.user) == (platform.id, user);
    let subnet = found.subnet(id).filter(is_theirs).ok_or(subnet::Refusal::Unknown)?;
    let opener = Opener::new(app, platform, &found, [user]).await?;
    opener.open(user, Class::Profile, subnet.details.as_ref())
}

/// Returns the account number of a subnet, given its `events` from the first on.
pub(crate) fn account_num(
    app: &App,
    platform: &PlatformRecord,
    events: &[RecordedEvent],
) -> Result<String, ApiError> {
    let made = events.first().ok_or(ApiError::NotFound)?;
    Ok(app.engine.account_number(platform.shard, made.position))
}

impl Opener<'_> {
    /// Returns the subnet's record.
    pub(crate) fn subnet(&self, id: SubnetId, account_num: &str) -> Result<wire::subnet::Subnet, ApiError> {
        let subnet = self.states.subnet(id).ok_or(ApiError::NotFound)?;
        let details: SubnetDetails = self.open(subnet.user, Class::Profile, subnet.details.as_ref())?;
        Ok(wire::subnet::render(&wire::subnet::SubnetView {
            id,
            subnet,
            details: &details,
            account_num,
            // The only bank that issues account numbers.
            routing_num: SandboxBank::ROUTING_NUM,
            client: &self.client,
            base_url: self.base_url,
        }))
    }
}
