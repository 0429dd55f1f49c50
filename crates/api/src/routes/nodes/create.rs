//! `POST /v3.1/users/{user_id}/nodes`

use actix_web::{Either, web};
use daybook_domain::node::NodeKind;
use daybook_domain::posting::Rail;
use daybook_domain::{NodeId, node};
use daybook_engine::NodeDetails;
use daybook_engine::access::PlatformRecord;
use daybook_engine::rails::routing_directory::RoutingDirectoryError;
use daybook_vault::Class;

use super::answer::{Nodes, made};
use super::bank_login::{self, Linked};
use super::micro_deposits;
use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::{Accepted, List};
use crate::error::{ApiError, Chain};
use crate::render;
use crate::wire::node::{Challenge, CreateNode, NewNode, NewNodes, Node};

/// Creates a node for the user, or begins or continues a bank login. A bank login answers 202 with a challenge until
/// the bank shows its accounts; then it creates one node per account.
#[utoipa::path(
    post, path = "/v3.1/users/{user_id}/nodes", operation_id = "nodes.create",
    params(DryRun),
    request_body = CreateNode,
    responses(
        (status = 200, body = List<Node>),
        (status = 202, body = Accepted<Challenge>),
        (status = 402),
    ),
)]
pub async fn create(
    app: web::Data<App>,
    caller: Caller<scopes::NodesPost>,
    body: Body,
) -> Result<Linked, ApiError> {
    match CreateNode::read(&body)? {
        NewNodes::One(new) => one(&app, &caller, &body, *new).await.map(Either::Left),
        NewNodes::OfBank(asked) => bank_login::link(&app, &caller, asked).await,
    }
}

async fn one(
    app: &App,
    caller: &Caller<scopes::NodesPost>,
    body: &Body,
    new: NewNode,
) -> Result<Nodes, ApiError> {
    let sealer = app.sealer(&caller.platform, caller.user).await?;
    let id = NodeId::from_u128(app.new_id());
    let NewNode { kind, is_active, gateway_restricted, mut details } = new;
    // The owner's legal name may change later. Stored here, the name in a bank file is always the same.
    if kind.is_in_its_owners_name() && details.name_on_account.is_none() {
        details.name_on_account = render::legal_name(app, &caller.platform, caller.user).await?;
    }
    name_bank(app, &caller.platform, kind, &mut details).await?;
    // Refused now, because the payment would otherwise be returned when the bank file is written.
    if let Some(field) = details.unwritable() {
        return Err(ApiError::invalid(
            field,
            "must be in letters that banks can write: Latin ones, with or without marks",
        ));
    }
    let sends = kind == NodeKind::AchUs && is_active;
    let command = node::create::Create {
        id,
        platform: caller.platform.id,
        user: caller.user,
        kind,
        is_active,
        gateway_restricted,
        micro_deposits: sends.then(|| micro_deposits::new(app, &caller.platform)),
        details: sealer.seal(Class::Profile, &details)?,
    };
    let done = app.engine.submit(caller.call(body), command).await?;
    let opener = render::Opener::new(app, &caller.platform, &done, [caller.user]).await?;
    let node = opener.node(id, None, &done.events)?;
    Ok(made(vec![node], done.position))
}

/// Adds the bank's name and address from the directory of routing numbers. The node is created even if the directory
/// has no entry or is unavailable.
async fn name_bank(
    app: &App,
    platform: &PlatformRecord,
    kind: NodeKind,
    details: &mut NodeDetails,
) -> Result<(), ApiError> {
    let rail = match kind {
        NodeKind::AchUs => Rail::Ach,
        NodeKind::WireUs => Rail::Wire,
        _ => return Ok(()),
    };
    let Some(number) = details.routing_num.as_deref() else { return Ok(()) };
    let directory = app.engine.routing_directory(platform.id).await?;
    let bank = match directory.bank_of(number, rail).await {
        Ok(Some(bank)) => bank,
        Ok(None) | Err(RoutingDirectoryError::NoProvider) => return Ok(()),
        Err(error) => {
            tracing::warn!(error = %Chain(&error), "a node is created without its bank's name");
            return Ok(());
        }
    };
    // Values from the caller take precedence.
    if details.bank_name.is_none() {
        details.bank_name = Some(bank.name);
        details.bank_long_name = Some(bank.long_name);
    }
    details.address.get_or_insert(bank.address);
    Ok(())
}
