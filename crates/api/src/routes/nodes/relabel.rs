//! Changes the labels of a node: its details are opened, changed and sealed again, with a retry if a concurrent call
//! changed them.

use daybook_domain::node::relabel::Relabel;
use daybook_domain::{NodeId, Refusal, node};
use daybook_engine::{SubmitError, Submitted};
use daybook_vault::Class;

use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::body::Body;
use crate::error::ApiError;
use crate::render;
use crate::wire::node::Labels;

/// Maximum number of attempts if concurrent calls change the same node.
const MAX_ATTEMPTS: usize = 32;

/// Sets the labels of the node; returns `None` if it has them already.
pub(super) async fn relabel(
    app: &App,
    caller: &Caller<scopes::NodePatch>,
    body: &Body,
    id: NodeId,
    labels: &Labels,
) -> Result<Option<Submitted>, ApiError> {
    let sealer = app.sealer(&caller.platform, caller.user).await?;
    for _ in 0..MAX_ATTEMPTS {
        let (from, mut details) = render::details(app, &caller.platform, caller.user, id).await?;
        let before = details.clone();
        let changes_supp_id = labels.put_on(&mut details);
        if details == before {
            return Ok(None);
        }
        let command = Relabel {
            node: id,
            platform: caller.platform.id,
            by: caller.user,
            from,
            changes_supp_id,
            details: sealer.seal(Class::Profile, &details)?,
        };
        match app.engine.submit(caller.call(body), command).await {
            Err(SubmitError::Refused(Refusal::Node(node::Refusal::Stale))) => {}
            answered => return Ok(Some(answered?)),
        }
    }
    Err(node::Refusal::Stale.into())
}
