//! `POST /v3.1/users/{user_id}/nodes`

use actix_web::{Either, web};
use daybook_domain::node::NodeKind;
use daybook_domain::node::micro_deposits::{MAX_MINOR, MicroDeposits};
use daybook_domain::{Command, NodeId, TransactionId, node};
use daybook_engine::Entropy;
use daybook_engine::access::PlatformRecord;
use daybook_vault::Class;

use super::bank_login::{self, Linked};
use crate::app::App;
use crate::auth::{Caller, needs};
use crate::body::Body;
use crate::envelope::{At, Collection, List};
use crate::error::ApiError;
use crate::render;
use crate::wire::node::{CreateNode, NewNode, NewNodes, Node};

/// Creates a node for the user, or begins or goes on with a login at a bank.
pub async fn create(
    app: web::Data<App>,
    caller: Caller<needs::NodesPost>,
    body: Body,
) -> Result<Linked, ApiError> {
    match body.json::<CreateNode>()?.parse()? {
        NewNodes::One(new) => one(&app, &caller, &body, *new).await.map(Either::Left),
        NewNodes::OfBank(asked) => bank_login::link(&app, &caller, asked).await,
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
        micro_deposits: (new.kind == NodeKind::AchUs).then(|| micro_deposits(app, &caller.platform)),
        details: sealer.seal(Class::Profile, &new.details)?,
    };
    let done = app.engine.submit(caller.call(body), Command::CreateNode(command)).await?;
    let opener = render::Opener::new(app, &caller.platform, &done, [caller.user]).await?;
    let node = opener.node(id, None, &done.events)?;
    Ok(List::of_one(Collection::Nodes, node).at(done.position))
}

/// What the sandbox sends, always the same: 0.10, so that a test can tell it.
const SANDBOX_MINOR: i64 = 10;

/// What is sent to a bank account that came by its numbers, for its owner to tell.
fn micro_deposits(app: &App, platform: &PlatformRecord) -> MicroDeposits {
    let entropy = app.engine.entropy();
    let amounts = if platform.sandbox { [SANDBOX_MINOR; 2] } else { [small(entropy), small(entropy)] };
    MicroDeposits { amounts, transactions: [0; 2].map(|_| TransactionId::from_u128(app.new_id())) }
}

/// Any amount from 1 to [`MAX_MINOR`], each as likely as the others.
fn small(entropy: Entropy) -> i64 {
    loop {
        let [byte] = entropy.bytes();
        // 200 of the 256 values fall evenly on the amounts.
        let number = i64::from(byte);
        if number < 2 * MAX_MINOR {
            return number % MAX_MINOR + 1;
        }
    }
}
