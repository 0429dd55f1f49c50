//! `POST /v3.1/users/{user_id}/nodes`

use actix_web::{Either, web};
use daybook_domain::node::NodeKind;
use daybook_domain::{Command, NodeId, node};
use daybook_vault::Class;

use super::bank_login::{self, Linked};
use super::micro_deposits;
use crate::app::App;
use crate::auth::{Caller, needs};
use crate::body::Body;
use crate::deprecation::MaybeDeprecated;
use crate::envelope::{At, Collection, List};
use crate::error::ApiError;
use crate::render;
use crate::wire::node::{CreateNode, NewNode, NewNodes, Node};

/// Creates a node for the user, or begins or goes on with a login at a bank.
pub async fn create(
    app: web::Data<App>,
    caller: Caller<needs::NodesPost>,
    body: Body,
) -> Result<MaybeDeprecated<Linked>, ApiError> {
    match body.json::<CreateNode>()?.parse()? {
        NewNodes::One(new) => {
            let is_deprecated = new.kind.is_deprecated();
            let made = one(&app, &caller, &body, *new).await?;
            Ok(MaybeDeprecated { answer: Either::Left(made), is_deprecated })
        }
        NewNodes::OfBank(asked) => {
            let linked = bank_login::link(&app, &caller, asked).await?;
            Ok(MaybeDeprecated { answer: linked, is_deprecated: false })
        }
    }
}

async fn one(
    app: &App,
    caller: &Caller<needs::NodesPost>,
    body: &Body,
    new: NewNode,
) -> Result<At<List<Node>>, ApiError> {
    let sealer = app.sealer(&caller.platform, caller.user).await?;
    let id = NodeId::from_u128(app.new_id());
    let command = node::create::Create {
        id,
        platform: caller.platform.id,
        user: caller.user,
        kind: new.kind,
        is_active: new.is_active,
        gateway_restricted: new.gateway_restricted,
        micro_deposits: (new.kind == NodeKind::AchUs).then(|| micro_deposits::new(app, &caller.platform)),
        details: sealer.seal(Class::Profile, &new.details)?,
    };
    let done = app.engine.submit(caller.call(body), Command::CreateNode(command)).await?;
    let opener = render::Opener::new(app, &caller.platform, &done, [caller.user]).await?;
    let node = opener.node(id, None, &done.events)?;
    Ok(List::of_one(Collection::Nodes, node).at(done.position))
}
